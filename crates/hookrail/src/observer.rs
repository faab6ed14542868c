//! Records of what hooks did, as data.
