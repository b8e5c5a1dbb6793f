package people

// What the tests look at.
var HashSession = hashSession
