// Package video draws the Video page with go-app: the form on the left, the
// results on the right, the page of a clip, the comparison. What needs no
// browser is in app/video, which the files here import under the same name.
//
// [New] makes the section, which the page lists in its rail. Its parts are
// components with a revision: [Section.changed] counts it up and has the page
// drawn. Everything runs on go-app's UI goroutine.
package video
