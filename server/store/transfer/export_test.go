package transfer

// What the tests look at.
const (
	ExportFormat       = exportFormat
	ExportVersion      = exportVersion
	MaxCalls           = maxCalls
	MaxImportedProblem = maxImportedProblem
	MaxImportedText    = maxImportedText
)

type File = file
