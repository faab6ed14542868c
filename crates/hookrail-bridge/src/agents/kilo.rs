//! Kilo, a fork of opencode that loads the same plugin from folders of its own.

use crate::agents::{opencode, prelude::*};

pub(crate) static DIALECT: Dialect = Dialect {
    tested_with: "7.7.7",
    marks: &["KILO", "KILO_PID"],
    settings: SettingsFile {
        variables: &[
            ("KILO_CONFIG_DIR", "plugin/hookrail.js"),
            ("XDG_CONFIG_HOME", "kilo/plugin/hookrail.js"),
        ],
        user: ".config/kilo/plugin/hookrail.js",
        project: ".kilo/plugin/hookrail.js",
        shape: SettingsShape::Plugin,
        ..SettingsFile::NONE
    },
    advice: Some("Kilo loads plugins at its start; restart it."),
    ..opencode::TABLE
};
