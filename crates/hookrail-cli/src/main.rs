//! The `hookrail` program. Everything it does is in `hookrail-commands`, which is optimised for size; what is optimised
//! together is optimised as this package is, and so a call by an agent keeps its speed.

#[cfg(any(target_env = "musl", test))]
mod allocator;

fn main() -> std::process::ExitCode {
    hookrail_commands::main()
}
