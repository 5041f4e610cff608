//! `cargo xtask serve`: builds the wasm package, then serves the page on this machine only.
//!
//! The server is a plain static one. It sends the same strict content security policy that
//! index.html carries, tells browsers to store nothing, and hands out index.html and www/ alone.

use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::thread;

use anyhow::{Context, Result, anyhow, bail};
use percent_encoding::percent_decode_str;
use tiny_http::{HTTPVersion, Header, Method, Request, Response, Server};

use crate::{build, tools};

/// The policy of the page: nothing but its own files, and wasm.
pub const STRICT_CSP: &str = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'";

/// How many ports after the wanted one are tried when it is taken.
const MORE_PORTS: u16 = 50;

/// How many requests are answered at once.
const THREADS: usize = 8;

#[derive(clap::Args)]
pub struct Options {
    /// The port to listen on; when taken, the next free one. 0 lets the system choose
    #[arg(long, default_value_t = 8080)]
    port: u16,
    /// Serve what is in www/pkg already
    #[arg(long)]
    no_build: bool,
    /// The Content-Security-Policy header to send, or "none"
    #[arg(long, default_value = STRICT_CSP)]
    csp: String,
    /// One more file or folder of the repository to serve; for tests and benchmarks
    #[arg(long, value_name = "PATH")]
    also: Vec<PathBuf>,
}

pub fn run(options: &Options) -> Result<()> {
    if !options.no_build {
        build::package(&tools::shell()?, true)?;
    }
    let mut shown: Vec<PathBuf> = vec!["index.html".into(), "www".into()];
    shown.extend(options.also.iter().cloned());
    let site = Arc::new(Site::new(&tools::root(), shown, &options.csp)?);

    let listener = listen(options.port)?;
    let address = listener.local_addr()?;
    let server = Server::from_listener(listener, None)
        .map_err(|error| anyhow!("the server does not start: {error}"))?;
    println!("Loglanes is at http://{address}/ (Ctrl-C stops it)");
    if !tools::root().join("index.html").exists() {
        eprintln!("warning: there is no index.html to serve");
    }

    let server = Arc::new(server);
    let workers: Vec<_> = (0..THREADS)
        .map(|_| {
            let (server, site) = (Arc::clone(&server), Arc::clone(&site));
            thread::spawn(move || {
                while let Ok(request) = server.recv() {
                    // A browser that went away before its answer is no error of ours.
                    let _ = site.answer(request);
                }
            })
        })
        .collect();
    for worker in workers {
        worker.join().map_err(|_| anyhow!("a server thread stopped"))?;
    }
    Ok(())
}

/// Listens on this machine's loopback address, on the first free port from `port` on.
fn listen(port: u16) -> Result<TcpListener> {
    for port in port..=port.saturating_add(MORE_PORTS) {
        match TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, port))) {
            Err(error) if error.kind() == ErrorKind::AddrInUse => (),
            result => return result.with_context(|| format!("cannot listen on port {port}")),
        }
    }
    bail!("port {port} and the {MORE_PORTS} after it are taken; name another one with --port")
}

/// What is served, and how.
struct Site {
    root: PathBuf,
    shown: Vec<PathBuf>,
    headers: Vec<Header>,
}

impl Site {
    fn new(root: &Path, shown: Vec<PathBuf>, csp: &str) -> Result<Self> {
        let root = root.canonicalize().context("cannot find the repository")?;
        let mut headers = vec![
            header("Cache-Control", "no-store")?,
            header("X-Content-Type-Options", "nosniff")?,
        ];
        if csp != "none" {
            headers.push(header("Content-Security-Policy", csp)?);
        }
        Ok(Self { root, shown, headers })
    }

    fn answer(&self, request: Request) -> std::io::Result<()> {
        if !matches!(request.method(), Method::Get | Method::Head) {
            return self.refuse(request, 405, "only GET and HEAD are served here");
        }
        let Some((path, file)) = self.find(request.url()) else {
            return self.refuse(request, 404, "there is no such file");
        };
        let mut response = Response::from_file(file);
        for header in &self.headers {
            response.add_header(header.clone());
        }
        if let Ok(header) = header("Content-Type", &content_type(&path)) {
            response.add_header(header);
        }
        send(request, response)
    }

    fn refuse(&self, request: Request, status: u16, text: &str) -> std::io::Result<()> {
        let mut response = Response::from_string(format!("{text}\n")).with_status_code(status);
        for header in &self.headers {
            response.add_header(header.clone());
        }
        send(request, response)
    }

    /// The file behind a URL's path; none when it is not ours to show.
    fn find(&self, url: &str) -> Option<(PathBuf, File)> {
        let path = relative_path(url)?;
        if !self.shown.iter().any(|shown| path.starts_with(shown)) {
            return None;
        }
        // A link that leads out of the repository is not followed.
        let path = self.root.join(path).canonicalize().ok()?;
        if !path.starts_with(&self.root) || !path.is_file() {
            return None;
        }
        let file = File::open(&path).ok()?;
        Some((path, file))
    }
}

/// Answers as HTTP/1.0 does, one request to a connection. A connection kept open holds one of
/// `tiny_http`'s threads, and of the six that a browser opens at once some may then be given none:
/// the page would wait for ever.
fn send<R: Read>(request: Request, response: Response<R>) -> std::io::Result<()> {
    let headers = request.headers().to_vec();
    let head_alone = *request.method() == Method::Head;
    let mut writer = request.into_writer();
    response.raw_print(&mut writer, HTTPVersion(1, 0), &headers, head_alone, None)?;
    writer.flush()
}

/// The path below the repository's root that a URL names; none when it could lead elsewhere.
fn relative_path(url: &str) -> Option<PathBuf> {
    let path = url.split(['?', '#']).next()?.strip_prefix('/')?;
    let path = percent_decode_str(path).decode_utf8().ok()?;
    if path.is_empty() {
        return Some("index.html".into());
    }
    if path.contains(['\\', ':', '\0']) || path.split('/').any(|part| part.starts_with('.')) {
        return None;
    }
    let path = PathBuf::from(path.as_ref());
    path.components().all(|part| matches!(part, Component::Normal(_))).then_some(path)
}

/// The media type of a file. Text is UTF-8.
fn content_type(path: &Path) -> String {
    if tools::has_extension(path, ["ndjson", "jsonl"]) {
        return "application/x-ndjson".into();
    }
    if tools::has_extension(path, ["mjs"]) {
        return "text/javascript; charset=utf-8".into();
    }
    let guess = mime_guess::from_path(path).first_or_octet_stream();
    if guess.type_() == mime_guess::mime::TEXT {
        format!("{}; charset=utf-8", guess.essence_str())
    } else {
        guess.essence_str().into()
    }
}

fn header(name: &str, value: &str) -> Result<Header> {
    Header::from_bytes(name, value).map_err(|()| anyhow!("{value:?} cannot be sent in {name}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_never_leads_out_of_the_repository() {
        for url in [
            "/../secret",
            "/www/../../secret",
            "/www/%2e%2e/%2e%2e/secret",
            "/www/..%2f..%2fsecret",
            "/www\\..\\secret",
            "/%5c..%5csecret",
            "//etc/passwd",
            "/C:/secret",
            "/.git/config",
            "/www/.hidden",
            "/www/%00",
            "/www/%ff",
            "www/main.js",
            "",
        ] {
            assert_eq!(relative_path(url), None, "{url}");
        }
    }

    #[test]
    fn a_path_keeps_its_words_and_loses_its_query() {
        assert_eq!(relative_path("/"), Some("index.html".into()));
        assert_eq!(relative_path("/?lesson=1"), Some("index.html".into()));
        assert_eq!(relative_path("/www/main.js?v=2#x"), Some("www/main.js".into()));
        assert_eq!(relative_path("/www/a%20b.js"), Some("www/a b.js".into()));
    }

    #[test]
    fn only_what_is_shown_is_found() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let root = folder.path();
        std::fs::create_dir_all(root.join("www"))?;
        std::fs::create_dir_all(root.join("src"))?;
        for file in ["index.html", "www/main.js", "src/lib.rs", "Cargo.toml"] {
            std::fs::write(root.join(file), file)?;
        }
        let site = Site::new(root, vec!["index.html".into(), "www".into()], STRICT_CSP)?;
        for (url, found) in [
            ("/", true),
            ("/index.html", true),
            ("/www/main.js", true),
            ("/www", false),
            ("/www/", false),
            ("/www/none.js", false),
            ("/src/lib.rs", false),
            ("/Cargo.toml", false),
        ] {
            assert_eq!(site.find(url).is_some(), found, "{url}");
        }
        Ok(())
    }

    #[cfg(unix)]
    #[test]
    fn a_link_out_of_the_repository_is_not_followed() -> Result<()> {
        let (folder, outside) = (tempfile::tempdir()?, tempfile::tempdir()?);
        std::fs::create_dir_all(folder.path().join("www"))?;
        std::fs::write(outside.path().join("secret"), "secret")?;
        std::os::unix::fs::symlink(outside.path(), folder.path().join("www/out"))?;
        let site = Site::new(folder.path(), vec!["www".into()], STRICT_CSP)?;
        assert!(site.find("/www/out/secret").is_none());
        Ok(())
    }

    #[test]
    fn files_have_the_types_that_browsers_insist_on() {
        for (file, expected) in [
            ("a.html", "text/html; charset=utf-8"),
            ("a.js", "text/javascript; charset=utf-8"),
            ("a.mjs", "text/javascript; charset=utf-8"),
            ("a.css", "text/css; charset=utf-8"),
            ("a.wasm", "application/wasm"),
            ("a.json", "application/json"),
            ("a.ndjson", "application/x-ndjson"),
            ("a.svg", "image/svg+xml"),
            ("a.png", "image/png"),
            ("a.log", "text/plain; charset=utf-8"),
            ("a", "application/octet-stream"),
        ] {
            assert_eq!(content_type(Path::new(file)), expected, "{file}");
        }
    }

    #[test]
    fn a_taken_port_gives_the_next_free_one() -> Result<()> {
        let taken = listen(0)?.local_addr()?.port();
        let holder = TcpListener::bind((Ipv4Addr::LOCALHOST, taken))?;
        let next = listen(taken)?.local_addr()?.port();
        assert!(next > taken, "{next} is after {taken}");
        drop(holder);
        Ok(())
    }
}
