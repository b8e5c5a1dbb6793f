package markdown

import (
	"strings"
	"sync"
)

// A texSymbol is what a command without arguments shows. Its kind is one of
// v letter, o operator or relation, d fence, f function, l function with
// limits, b big operator with limits, i integral.
type texSymbol struct {
	kind byte
	text string
}

// texSymbols is the table below, read on first use: as text it costs a
// thirtieth of what a map literal adds to the program.
var texSymbols = sync.OnceValue(func() map[string]texSymbol {
	out := map[string]texSymbol{}
	for line := range strings.Lines(texSymbolTable) {
		kind, list, _ := strings.Cut(strings.TrimSpace(line), " ")
		for _, entry := range strings.Fields(list) {
			name, s, ok := strings.Cut(entry, "=")
			if !ok {
				s = name
			}
			out[name] = texSymbol{kind[0], strings.ReplaceAll(s, "·", "\u2009")}
		}
	}
	out["="] = texSymbol{'o', "="}
	out["cdotp"] = texSymbol{'o', "·"}
	out["cdot"] = texSymbol{'o', "⋅"}
	return out
})

const texSymbolTable = `v alpha=α beta=β gamma=γ delta=δ epsilon=ϵ varepsilon=ε zeta=ζ eta=η theta=θ vartheta=ϑ iota=ι kappa=κ varkappa=ϰ lambda=λ mu=μ nu=ν xi=ξ omicron=ο pi=π varpi=ϖ rho=ρ varrho=ϱ sigma=σ varsigma=ς tau=τ upsilon=υ phi=ϕ varphi=φ chi=χ psi=ψ omega=ω digamma=ϝ
v Gamma=Γ Delta=Δ Theta=Θ Lambda=Λ Xi=Ξ Pi=Π Sigma=Σ Upsilon=Υ Phi=Φ Psi=Ψ Omega=Ω
v infty=∞ partial=∂ nabla=∇ hbar=ℏ hslash=ℏ ell=ℓ wp=℘ Re=ℜ Im=ℑ aleph=ℵ beth=ℶ gimel=ℷ imath=ı jmath=ȷ emptyset=∅ varnothing=∅ degree=° prime=′ backprime=‵ top=⊤ bot=⊥ angle=∠ measuredangle=∡ triangle=△ square=□ Box=□ blacksquare=■ Diamond=◇ lozenge=◊ bigstar=★ clubsuit=♣ diamondsuit=♢ heartsuit=♡ spadesuit=♠ flat=♭ natural=♮ sharp=♯ checkmark=✓ dagger=† ddagger=‡ dag=† ddag=‡ S=§ P=¶ pounds=£ euro=€ yen=¥ copyright=© forall=∀ exists=∃ nexists=∄ complement=∁ mho=℧ eth=ð AA=Å
v ldots=… dots=… dotsc=… dotso=… cdots=⋯ dotsb=⋯ dotsm=⋯ dotsi=⋯ vdots=⋮ ddots=⋱ $ % # & _ qed=∎ blacktriangle=▲ triangledown=▽
o pm=± mp=∓ times=× div=÷ ast=∗ star=⋆ circ=∘ bullet=∙ cap=∩ cup=∪ uplus=⊎ sqcap=⊓ sqcup=⊔ vee=∨ lor=∨ wedge=∧ land=∧ setminus=∖ smallsetminus=∖ wr=≀ diamond=⋄ bigtriangleup=△ bigtriangledown=▽ triangleleft=◁ triangleright=▷ oplus=⊕ ominus=⊖ otimes=⊗ oslash=⊘ odot=⊙ bigcirc=◯ amalg=⨿ ltimes=⋉ rtimes=⋊ bowtie=⋈ dotplus=∔ boxplus=⊞ boxtimes=⊠ neg=¬ lnot=¬
o leq=≤ le=≤ geq=≥ ge=≥ lt=< gt=> neq=≠ ne=≠ equiv=≡ sim=∼ nsim=≁ simeq=≃ approx=≈ approxeq=≊ cong=≅ ncong=≇ asymp=≍ doteq=≐ propto=∝ varpropto=∝ ll=≪ gg=≫ lll=⋘ ggg=⋙ prec=≺ succ=≻ preceq=⪯ succeq=⪰ leqslant=⩽ geqslant=⩾ leqq=≦ geqq=≧ lesssim=≲ gtrsim=≳ nless=≮ ngtr=≯ nleq=≰ ngeq=≱ triangleq=≜ coloneqq=≔ coloneq=≔ eqqcolon=≕ bumpeq=≏ circeq=≗ risingdotseq=≓
o subset=⊂ supset=⊃ subseteq=⊆ supseteq=⊇ subsetneq=⊊ supsetneq=⊋ nsubseteq=⊈ nsupseteq=⊉ sqsubset=⊏ sqsupset=⊐ sqsubseteq=⊑ sqsupseteq=⊒ in=∈ notin=∉ ni=∋ owns=∋ mid=∣ nmid=∤ parallel=∥ nparallel=∦ perp=⟂ vdash=⊢ dashv=⊣ models=⊨ vDash=⊨ Vdash=⊩ smile=⌣ frown=⌢ therefore=∴ because=∵ colon=: between=≬ pitchfork=⋔
o to=→ rightarrow=→ leftarrow=← gets=← leftrightarrow=↔ Rightarrow=⇒ Leftarrow=⇐ Leftrightarrow=⇔ implies=⟹ impliedby=⟸ iff=⟺ mapsto=↦ longmapsto=⟼ longrightarrow=⟶ longleftarrow=⟵ longleftrightarrow=⟷ Longrightarrow=⟹ Longleftarrow=⟸ Longleftrightarrow=⟺ uparrow=↑ downarrow=↓ updownarrow=↕ Uparrow=⇑ Downarrow=⇓ Updownarrow=⇕ nearrow=↗ searrow=↘ swarrow=↙ nwarrow=↖ hookrightarrow=↪ hookleftarrow=↩ rightharpoonup=⇀ rightharpoondown=⇁ leftharpoonup=↼ leftharpoondown=↽ rightleftharpoons=⇌ leftrightharpoons=⇋ rightleftarrows=⇄ leadsto=⇝ rightsquigarrow=⇝ twoheadrightarrow=↠ rightarrowtail=↣ nrightarrow=↛ nleftarrow=↚ nRightarrow=⇏ circlearrowleft=↺ circlearrowright=↻ upharpoonright=↾ dashrightarrow=⇢
d { } |=‖ lbrace={ rbrace=} lbrack=[ rbrack=] lparen=( rparen=) langle=⟨ rangle=⟩ lvert=| rvert=| vert=| lVert=‖ rVert=‖ Vert=‖ lceil=⌈ rceil=⌉ lfloor=⌊ rfloor=⌋ llbracket=⟦ rrbracket=⟧ lgroup=⟮ rgroup=⟯ ulcorner=⌜ urcorner=⌝ llcorner=⌞ lrcorner=⌟ backslash=\ slash=/
f sin cos tan cot sec csc sinh cosh tanh coth arcsin arccos arctan arccot arsinh arcosh artanh exp log ln lg deg arg dim ker hom sgn tr rank erf
l lim max min sup inf det gcd Pr limsup=lim·sup liminf=lim·inf argmax=arg·max argmin=arg·min injlim=inj·lim projlim=proj·lim
b sum=∑ prod=∏ coprod=∐ bigcap=⋂ bigcup=⋃ bigsqcup=⨆ bigvee=⋁ bigwedge=⋀ bigoplus=⨁ bigotimes=⨂ bigodot=⨀ biguplus=⨄
i int=∫ iint=∬ iiint=∭ iiiint=⨌ oint=∮ oiint=∯ oiiint=∰ intop=∫
`

var texSpaces = map[string]string{
	",": "0.17em", ":": "0.22em", ">": "0.22em", ";": "0.28em", "!": "-0.17em", " ": "0.33em",
	"\n": "0.33em", "quad": "1em", "qquad": "2em", "enspace": "0.5em", "thinspace": "0.17em",
	"enskip": "0.5em", "medspace": "0.22em", "thickspace": "0.28em", "negthinspace": "-0.17em", "space": "0.33em",
}

var texAccents = map[string]string{
	"hat": "^", "widehat": "^", "tilde": "~", "widetilde": "~", "bar": "¯", "vec": "→", "dot": "˙",
	"ddot": "¨", "dddot": "⃛", "acute": "´", "grave": "`", "check": "ˇ", "breve": "˘", "mathring": "˚",
}

var texStretched = map[string]stretched{
	"overbrace": {"⏞", true, true}, "underbrace": {"⏟", false, true},
	"overrightarrow": {"→", true, false}, "overleftarrow": {"←", true, false}, "overleftrightarrow": {"↔", true, false},
}

var texSizes = map[string]string{"big": "1.2em", "Big": "1.8em", "bigg": "2.4em", "Bigg": "3em"}

var texAlphabets = map[string]string{
	"mathrm": "rm", "rm": "rm", "mathup": "rm", "mathnormal": "", "mathit": "it", "mathbf": "bf", "boldsymbol": "bi", "bm": "bi",
	"mathbb": "bb", "Bbb": "bb", "mathcal": "cal", "mathscr": "cal", "mathfrak": "frak", "mathsf": "sf", "mathtt": "tt",
}

var texIgnored = map[string]bool{
	"nonumber": true, "notag": true, "limits": true, "nolimits": true, "hline": true, "/": true,
	"protect": true, "relax": true, "centering": true, "allowbreak": true, "strut": true, "mathstrut": true,
}

type texEnvironment struct {
	class, open, close string
	columns            bool // takes a list of columns, as array does
}

var texEnvironments = map[string]texEnvironment{
	"matrix": {class: "md-matrix"}, "smallmatrix": {class: "md-matrix"},
	"pmatrix": {"md-matrix", "(", ")", false}, "bmatrix": {"md-matrix", "[", "]", false},
	"Bmatrix": {"md-matrix", "{", "}", false}, "vmatrix": {"md-matrix", "|", "|", false},
	"Vmatrix": {"md-matrix", "‖", "‖", false},
	"cases":   {"md-cases", "{", "", false}, "dcases": {"md-cases", "{", "", false}, "rcases": {"md-cases", "", "}", false},
	"array": {class: "md-matrix", columns: true},
	"align": {class: "md-aligned"}, "aligned": {class: "md-aligned"}, "split": {class: "md-aligned"},
	"alignat": {class: "md-aligned", columns: true}, "alignedat": {class: "md-aligned", columns: true},
	"eqnarray": {class: "md-aligned"}, "gather": {class: "md-rows"}, "gathered": {class: "md-rows"},
	"equation": {class: "md-rows"}, "multline": {class: "md-rows"},
}

// inAlphabet returns s in one of Unicode's mathematical alphabets, which is how
// MathML Core has them; a character that an alphabet lacks stays as it is.
func inAlphabet(alphabet, s string) string {
	a, ok := mathAlphabets[alphabet]
	if !ok {
		return s
	}
	return strings.Map(func(r rune) rune {
		if x, ok := mathHoles[alphabet][r]; ok {
			return x
		}
		switch {
		case r >= 'A' && r <= 'Z' && a.upper != 0:
			return a.upper + r - 'A'
		case r >= 'a' && r <= 'z' && a.lower != 0:
			return a.lower + r - 'a'
		case r >= '0' && r <= '9' && a.digit != 0:
			return a.digit + r - '0'
		case r >= 'Α' && r <= 'Ω' && a.greek != 0:
			return a.greek + r - 'Α'
		case r >= 'α' && r <= 'ω' && a.greek != 0:
			return a.greek + 26 + r - 'α'
		}
		return r
	}, s)
}

// mathAlphabets has the code point of A, a, 0 and capital alpha in each.
var mathAlphabets = map[string]struct{ upper, lower, digit, greek rune }{
	"bf":   {0x1D400, 0x1D41A, 0x1D7CE, 0x1D6A8},
	"bi":   {0x1D468, 0x1D482, 0x1D7CE, 0x1D71C},
	"bb":   {0x1D538, 0x1D552, 0x1D7D8, 0},
	"cal":  {0x1D49C, 0x1D4B6, 0, 0},
	"frak": {0x1D504, 0x1D51E, 0, 0},
	"sf":   {0x1D5A0, 0x1D5BA, 0x1D7E2, 0},
	"tt":   {0x1D670, 0x1D68A, 0x1D7F6, 0},
}

// mathHoles are the letters that Unicode had before it had the alphabets.
var mathHoles = map[string]map[rune]rune{
	"bb":   {'C': 'ℂ', 'H': 'ℍ', 'N': 'ℕ', 'P': 'ℙ', 'Q': 'ℚ', 'R': 'ℝ', 'Z': 'ℤ'},
	"cal":  {'B': 'ℬ', 'E': 'ℰ', 'F': 'ℱ', 'H': 'ℋ', 'I': 'ℐ', 'L': 'ℒ', 'M': 'ℳ', 'R': 'ℛ', 'e': 'ℯ', 'g': 'ℊ', 'o': 'ℴ'},
	"frak": {'C': 'ℭ', 'H': 'ℌ', 'I': 'ℑ', 'R': 'ℜ', 'Z': 'ℨ'},
}
