//! Finds the home: the directory that Consign keeps everything in.

use std::path::PathBuf;

use etcetera::BaseStrategy;

/// `CONSIGN_HOME`, else the platform's place for data. The error says why there is none.
pub(crate) fn path() -> Result<PathBuf, String> {
    match std::env::var_os("CONSIGN_HOME") {
        Some(home) if !home.is_empty() => {
            std::path::absolute(&home).map_err(|cause| format!("CONSIGN_HOME: {cause}"))
        }
        Some(_) | None => etcetera::choose_base_strategy()
            .map(|places| places.data_dir().join("consign"))
            .map_err(|_| "there is no home directory; set CONSIGN_HOME".to_owned()),
    }
}
