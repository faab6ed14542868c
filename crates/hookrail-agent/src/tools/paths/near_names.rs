//! Names that were probably meant, for a path that leads to nothing.

use std::path::Path;

use super::open::names_in;
use super::{Workspace, shown};
use hookrail::rules::order;

/// No more names than this are looked at for a suggestion.
const NAMES_TO_COMPARE: usize = 5000;
/// Longer names, in bytes, are not compared. File systems allow 255.
const LONGEST_NAME: usize = 256;

impl Workspace {
    /// Up to three names in the same folder that differ by a few letters or in case only, the nearest first. It looks
    /// at one folder: a model that has the wrong folder is better served by `glob`.
    pub(super) fn near_names(&self, relative: &Path) -> Vec<String> {
        let (Some(parent), Some(wanted)) = (relative.parent(), relative.file_name()) else {
            return Vec::new();
        };
        let Ok(names) = self.open_folder(parent, false).and_then(|dir| names_in(&dir, NAMES_TO_COMPARE))
        else {
            return Vec::new();
        };
        let wanted = wanted.to_string_lossy().to_lowercase();
        if wanted.len() > LONGEST_NAME {
            return Vec::new();
        }
        let allowed = 1 + wanted.chars().count() / 4;
        let mut near: Vec<(usize, String)> = names
            .iter()
            .map(|name| (name, name.to_string_lossy().to_lowercase()))
            .filter(|(_, lowercase)| lowercase.len() <= LONGEST_NAME)
            .filter_map(|(name, lowercase)| {
                let distance = strsim::levenshtein(&wanted, &lowercase);
                (distance <= allowed).then(|| (distance, format!("`{}`", shown(&parent.join(name)))))
            })
            .collect();
        order::sort(&mut near);
        near.into_iter().map(|(_, name)| name).take(3).collect()
    }
}
