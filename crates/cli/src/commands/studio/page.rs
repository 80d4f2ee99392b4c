//! The page of the studio and its files, which are part of the program.

use pavane_render::viewer;

const SCRIPT: &str = "text/javascript";
const STYLE: &str = "text/css";

/// The page. It is answered only with the token.
pub const PAGE: &str = include_str!("page/studio.html");

/// A file that the page loads, without the token.
pub struct PublicFile {
    /// Its path.
    pub path: &'static str,
    /// MIME type.
    pub kind: &'static str,
    /// Its content.
    pub text: &'static str,
}

/// All files that the page loads.
#[rustfmt::skip]
pub const FILES: &[PublicFile] = &[
    PublicFile { path: "/viewer.css", kind: STYLE, text: viewer::STYLE },
    PublicFile { path: "/studio.css", kind: STYLE, text: include_str!("page/studio.css") },
    PublicFile { path: "/viewer.js", kind: SCRIPT, text: viewer::SCRIPT },
    PublicFile { path: "/jobs.js", kind: SCRIPT, text: include_str!("page/jobs.js") },
    PublicFile { path: "/studio.js", kind: SCRIPT, text: include_str!("page/studio.js") },
    PublicFile { path: "/open.js", kind: SCRIPT, text: include_str!("page/open.js") },
    PublicFile { path: "/sketch.js", kind: SCRIPT, text: include_str!("page/sketch.js") },
    PublicFile { path: "/editor.js", kind: SCRIPT, text: include_str!("page/editor.js") },
    PublicFile { path: "/reasons.js", kind: SCRIPT, text: include_str!("page/reasons.js") },
    PublicFile { path: "/costs.js", kind: SCRIPT, text: include_str!("page/costs.js") },
    PublicFile { path: "/time.js", kind: SCRIPT, text: include_str!("page/time.js") },
    PublicFile { path: "/compare.js", kind: SCRIPT, text: include_str!("page/compare.js") },
    PublicFile { path: "/tune.js", kind: SCRIPT, text: include_str!("page/tune.js") },
    PublicFile { path: "/front.js", kind: SCRIPT, text: include_str!("page/front.js") },
    PublicFile { path: "/throughput.js", kind: SCRIPT, text: include_str!("page/throughput.js") },
    PublicFile { path: "/chip.js", kind: SCRIPT, text: include_str!("page/chip.js") },
    PublicFile { path: "/traffic.js", kind: SCRIPT, text: include_str!("page/traffic.js") },
    PublicFile { path: "/papers.js", kind: SCRIPT, text: include_str!("page/papers.js") },
];

/// Whether a path is that of a file.
pub fn is_public(path: &str) -> bool {
    FILES.iter().any(|file| file.path == path)
}
