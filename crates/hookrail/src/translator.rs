//! SDK format to stable format and back; the only file that knows both.
