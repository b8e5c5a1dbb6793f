// Package videodesk draws the video desk with go-app: the form on the left,
// the results on the right, the page of a clip, the comparison. What can be
// thought about without a browser is in the package video.
//
// [New] makes the section, which the page lists in its rail. Its parts are
// components with a revision: [Section.changed] counts it up and has the page
// drawn. Everything runs on go-app's UI goroutine.
package videodesk
