package gateway

// Codes of errors, as a gateway sends them. A refused field has
// CodeInvalidRequest unless the document names another.
const (
	CodeInvalidRequest       = "invalid_request"
	CodeRequestTooLarge      = "request_too_large"
	CodeWrongEndpoint        = "wrong_endpoint"          // F13, F18, F116, G5
	CodeStreamRequired       = "stream_required"         // F14
	CodeUnsupportedParameter = "unsupported_parameter"   // F15
	CodeInvalidSeconds       = "invalid_seconds"         // F59
	CodeReferenceSeconds     = "reference_video_seconds" // F149
	CodeSourceModeMismatch   = "source_mode_mismatch"    // F128, G18
	CodeSourceMismatch       = "source_mismatch"         // F136, G18
	CodeUpstreamRejected     = "upstream_rejected"       // F130, G17, G18
	CodeSourceNotReady       = "source_not_ready"        // G19
	CodeResultExpired        = "result_expired"          // F103, G19
	CodeTaskNotExist         = "task_not_exist"          // G2, G19
	CodeModelNotFound        = "model_not_found"         // G3
	CodeInsufficientQuota    = "insufficient_user_quota" // G4
)

// Codes of warnings.
const (
	CodeUnknownModel   = "unknown_model"
	CodeUnlisted       = "unlisted"
	CodeNoEffect       = "no_effect"
	CodeUndocumented   = "undocumented"
	CodeOutOfRange     = "out_of_range"
	CodePrivateAddress = "private_address"
	CodeNotMP4         = "not_mp4"
	CodeNoSuchFile     = "no_such_reference"
	CodeRounding       = "rounding"
	CodeMoreIssues     = "more_issues"
)

// Status is the HTTP status that an error code comes with: 400 where the
// document says nothing else.
func Status(code string) int {
	switch code {
	case CodeRequestTooLarge:
		return 413
	case CodeInsufficientQuota:
		return 403
	case CodeModelNotFound:
		return 503
	}
	return 400
}
