//! `hookrail export`: what the log has, for an OpenTelemetry collector.

use clap::Args;

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:4318 hookrail export --otlp\n  hookrail export --otlp --follow\n\nEach decision is one log record. The address, headers and resource come from OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_LOGS_ENDPOINT, OTEL_EXPORTER_OTLP_HEADERS, OTEL_EXPORTER_OTLP_LOGS_HEADERS, OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES. How far the log was sent is remembered, so a collector that is away loses nothing."
)]
pub(crate) struct ExportArgs {
    /// Send log records over OTLP (http/json)
    #[arg(long, required = true)]
    pub(crate) otlp: bool,
    /// Go on with what is logged from now on
    #[arg(short, long)]
    pub(crate) follow: bool,
    /// Send the texts of prompts, too
    #[arg(long)]
    pub(crate) prompts: bool,
}
