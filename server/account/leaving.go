package account

// A Leaving is what is done about somebody who leaves.
type Leaving struct {
	Person string // the owner who leaves
	Heir   string // the owner who gets what they made; "": it is deleted
	Erase  bool   // the account, too
	By     string // the owner who has it done
	From   string // the address that they do it from
}
