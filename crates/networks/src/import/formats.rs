//! The table of network file formats: how each is recognised and parsed.

use super::draft::Draft;
use super::{ImportError, whole_error};
use super::{dot, edge_list, graphml, infiniband, json, matrix, nccl, own, smi};
use crate::description::Description;
use crate::poseidon;
use std::path::Path;

/// A format of network files.
pub(super) struct Format {
    pub kind: FileKind,
    /// File name extensions, in lower case.
    extensions: &'static [&'static str],
    /// Whether a text that does not start with white space is in this format.
    is_one: fn(&str) -> bool,
    /// Parses a text. The arguments are the text, its file for errors, and the default name of the
    /// network.
    pub parse: fn(&str, &str, &str) -> Result<Description, ImportError>,
}

/// Declares [`FileKind`] and [`FORMATS`], with one entry per format: its documentation, name,
/// extensions, recogniser and parser.
macro_rules! formats {
    ($($(#[$doc:meta])* $kind:ident, [$($extension:literal),*], $is_one:expr, $parse:expr;)*) => {
        /// The formats of network files.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum FileKind {
            $($(#[$doc])* $kind,)*
        }

        /// All formats. The first one that recognises a text is the format of the text.
        pub(super) const FORMATS: &[Format] = &[$(Format {
            kind: FileKind::$kind,
            extensions: &[$($extension),*],
            is_one: $is_one,
            parse: $parse,
        }),*];
    };
}

formats! {
    /// Pavane's own format or NetworkX node-link, depending on the content.
    Json, ["json"], |text| text.starts_with('{'), json::parse;
    /// NCCL's XML topology.
    Nccl, ["graphml", "xml"], nccl::is_one, |text, file, name| finish(nccl::parse(text, file)?, file, name);
    /// The platform XML of poseidon.
    Poseidon, ["xml"], poseidon::is_specification, poseidon::parse;
    /// GraphML.
    GraphMl, ["graphml", "xml"], |text| text.starts_with('<'), |text, file, name| finish(graphml::parse(text, file)?, file, name);
    /// Graphviz DOT.
    Dot, ["dot", "gv"], dot::is_one, |text, file, name| finish(dot::parse(text, file)?, file, name);
    /// The matrix of `nvidia-smi topo -m`.
    Smi, [], smi::is_one, |text, file, name| finish(smi::parse(text, file)?, file, name);
    /// A fabric in the output format of `ibnetdiscover`.
    InfiniBand, [], infiniband::is_one, |text, file, name| finish(infiniband::parse(text, file)?, file, name);
    /// Pavane's own format, as TOML.
    Toml, ["toml"], own::is_toml, own::parse_toml;
    /// A matrix of link counts.
    Matrix, ["csv", "matrix"], matrix::is_one, matrix::parse;
    /// One link per line. These extensions are common for plain text, so the content decides.
    EdgeList, ["edgelist", "edges", "el", "txt"], |_| true, |text, file, name| finish(edge_list::parse(text, file)?, file, name);
}

impl FileKind {
    /// Whether the extension of a file name is that of a network file.
    pub(super) fn is_extension_known(path: &Path) -> bool {
        !with_extension(path).is_empty()
    }

    /// The format of a file, from its extension and, if several formats have the extension, from
    /// the content. If the extension is unknown or that of an edge list, only the content decides.
    pub fn of(path: &Path, text: &str) -> Self {
        let all: Vec<&Format> = FORMATS.iter().collect();
        let named = with_extension(path);
        let is_open =
            named.is_empty() || named.iter().any(|format| format.kind == FileKind::EdgeList);
        let candidates = if is_open { all } else { named };
        let text = text.trim_start();
        let recognised = candidates.iter().find(|format| (format.is_one)(text));
        recognised.or(candidates.last()).map_or(FileKind::EdgeList, |format| format.kind)
    }

    /// The row of the table.
    pub(super) fn format(self) -> &'static Format {
        let row = FORMATS.iter().find(|format| format.kind == self);
        row.expect("the macro declares a row for every kind")
    }
}

/// The formats with the extension of a file name.
fn with_extension(path: &Path) -> Vec<&'static Format> {
    let extension = path.extension().and_then(|extension| extension.to_str());
    let Some(extension) = extension.map(str::to_ascii_lowercase) else { return Vec::new() };
    FORMATS.iter().filter(|format| format.extensions.contains(&&extension[..])).collect()
}

/// Completes a network that was read node by node.
pub(super) fn finish(draft: Draft<'_>, file: &str, name: &str) -> Result<Description, ImportError> {
    draft.finish(name).map_err(|problem| whole_error(file, &problem))
}
