package wire

// Addresses of the images of messages. An image that is to be sent is put there
// first: POST to ImagesPath with its bytes as the body, which answers with an
// Image. It is read at ImagesPath + "/" + its ID, and on the page of a share at
// the share's address + "?image=" + its ID.
const ImagesPath = "/api/images"

// Bounds of images.
const (
	MaxImages      = 16       // of a message
	MaxImage       = 5 << 20  // bytes of one
	MaxImagePixels = 40 << 20 // of one: width times height
	// MaxImagesSent are the bytes of the images in one request to a gateway, those
	// of the messages before among them.
	MaxImagesSent = 24 << 20
	// MaxImageDrafts are the bytes of what a person has put into composers and not
	// sent; what was put there more than a day ago goes.
	MaxImageDrafts = 256 << 20
)

// ImageTypes are the media types of images that are taken.
var ImageTypes = []string{"image/png", "image/jpeg", "image/webp", "image/gif"}

// An Image is one of a message. In a Start only ID counts.
type Image struct {
	ID     string `json:"id"` // the SHA-256 of its bytes, in hex
	Type   string `json:"type,omitempty"`
	Width  int    `json:"width,omitempty"`
	Height int    `json:"height,omitempty"`
	Bytes  int64  `json:"bytes,omitempty"`
}

// Address is where the image is read by whom it belongs to.
func (i Image) Address() string { return ImagesPath + "/" + i.ID }
