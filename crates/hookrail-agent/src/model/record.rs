//! Recording: writes what another model answered as a replay file.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::stream;
use hookrail::genai::{GenerateContentParameters, GenerateContentResponse};
use serde_json::json;

use super::{ModelClient, ModelError, ResponseStream};

/// A model that answers with what `M` answers and keeps a record of it.
///
/// A call is written as one line, in one piece, when its response is complete. Calls that fail or are
/// given up leave no line; a prompt that the provider refused does, because that was its answer.
pub struct RecordingModel<M> {
    model: M,
    recording: Arc<Recording>,
}

struct Recording {
    path: PathBuf,
    file: Mutex<File>,
}

impl<M> RecordingModel<M> {
    /// Starts a recording in a new file, or in place of an old one, that only its owner can read.
    pub fn create(path: impl Into<PathBuf>, model: M) -> Result<Self, ModelError> {
        let path = path.into();
        match create_private(&path) {
            Ok(file) => Ok(Self { model, recording: Arc::new(Recording { path, file: Mutex::new(file) }) }),
            Err(source) => Err(ModelError::Record { path, source }),
        }
    }
}

/// A recording holds the whole conversation, so only its owner may read it.
fn create_private(path: &PathBuf) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(path)?;
    // A file that was there before keeps its mode when it is opened; devices such as /dev/null keep theirs.
    if file.metadata()?.is_file() {
        file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o600))?;
    }
    Ok(file)
}

impl Recording {
    /// Writes one call. A recording that is not complete is worse than none, so a failure ends the model call.
    fn write(&self, chunks: &[GenerateContentResponse]) -> Result<(), ModelError> {
        let mut line = json!({ "method": "generateContentStream", "response": chunks }).to_string();
        line.push('\n');
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let written = file.write_all(line.as_bytes());
        written.map_err(|source| ModelError::Record { path: self.path.clone(), source })
    }
}

impl<M: ModelClient> ModelClient for RecordingModel<M> {
    fn stream(&self, request: &GenerateContentParameters) -> ResponseStream {
        let state = (self.model.stream(request), Vec::new(), Arc::clone(&self.recording));
        ResponseStream::new(stream::try_unfold(state, |(mut answer, mut chunks, recording)| async move {
            match answer.next().await {
                Some(Ok(chunk)) => {
                    chunks.push(chunk.clone());
                    Ok(Some((chunk, (answer, chunks, recording))))
                }
                Some(Err(ModelError::PromptBlocked { reason, message, response })) => {
                    chunks.push((*response).clone());
                    recording.write(&chunks)?;
                    Err(ModelError::PromptBlocked { reason, message, response })
                }
                Some(Err(error)) => Err(error),
                None => {
                    recording.write(&chunks)?;
                    Ok(None)
                }
            }
        }))
    }
}
