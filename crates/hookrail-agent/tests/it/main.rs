//! The agent against the real outside world: servers, files, processes.

mod model_http;
mod model_record;
mod model_server;
