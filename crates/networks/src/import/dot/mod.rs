//! Graphviz DOT: graphs and digraphs, chains of edges, subgraphs, attributes and their defaults.
//! Ports are ignored.

mod lexer;

use super::attributes::{EdgeAttributes, NodeAttributes};
use super::draft::Draft;
use super::{ImportError, offset_error};
use lexer::{Lexer, Token, Wrong};
use pavane_model::words::excerpt;
use rustc_hash::FxHashSet;
use std::borrow::Cow;

/// The maximum nesting of subgraphs; the parser recurses once per level.
const DEEPEST: usize = 100;

/// Whether a text starts as a graph in DOT.
pub(super) fn is_one(text: &str) -> bool {
    let word = text.split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default();
    let is_keyword = ["strict", "graph", "digraph"].iter().any(|k| word.eq_ignore_ascii_case(k));
    is_keyword && text.contains('{')
}

pub(super) fn parse<'a>(text: &'a str, file: &str) -> Result<Draft<'a>, ImportError> {
    let parser = Parser::new(text);
    let read = parser.and_then(Parser::graph);
    read.map_err(|(offset, problem)| offset_error(file, text, offset, &problem))
}

type Attributes<'a> = Vec<(Cow<'a, str>, Cow<'a, str>)>;

/// The default attributes of nodes and edges at a statement.
#[derive(Debug, Clone, Default)]
struct Defaults {
    node: NodeAttributes,
    edge: EdgeAttributes,
}

/// The groups of nodes in a chain of edges, each with its offset. They are kept until the
/// attributes at the end of the chain are known.
#[derive(Debug, Default)]
struct Chain {
    nodes: Vec<u32>,
    groups: Vec<Group>,
    edges: u64,
}

#[derive(Debug, Clone, Copy)]
struct Group {
    at: usize,
    start: usize,
    end: usize,
}

impl Chain {
    fn push(&mut self, at: usize, nodes: &[u32]) {
        if let Some(last) = self.groups.last() {
            let tails = (last.end - last.start) as u64;
            self.edges = self.edges.saturating_add(tails.saturating_mul(nodes.len() as u64));
        }
        let start = self.nodes.len();
        self.nodes.extend(nodes);
        self.groups.push(Group { at, start, end: self.nodes.len() });
    }

    /// Pairs of adjacent groups, with the offset of the second.
    fn joints(&self) -> impl Iterator<Item = (usize, &[u32], &[u32])> {
        let nodes = |group: &Group| &self.nodes[group.start..group.end];
        self.groups.windows(2).map(move |pair| (pair[1].at, nodes(&pair[0]), nodes(&pair[1])))
    }
}

struct Parser<'a> {
    lexer: Lexer<'a>,
    token: Token<'a>,
    /// The byte offset of the token.
    at: usize,
    draft: Draft<'a>,
    /// Nodes mentioned in the open subgraphs.
    mentioned: Vec<u32>,
    depth: usize,
    is_directed: bool,
    /// The pairs joined so far, in a strict graph.
    joined: Option<FxHashSet<(u32, u32)>>,
    homes: Option<(usize, Cow<'a, str>)>,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str) -> Result<Self, Wrong> {
        let mut lexer = Lexer::new(text);
        let (at, token) = lexer.next()?;
        Ok(Self {
            lexer,
            token,
            at,
            draft: Draft::default(),
            mentioned: Vec::new(),
            depth: 0,
            is_directed: false,
            joined: None,
            homes: None,
        })
    }

    fn advance(&mut self) -> Result<Token<'a>, Wrong> {
        let (at, next) = self.lexer.next()?;
        self.at = at;
        Ok(std::mem::replace(&mut self.token, next))
    }

    fn takes_sign(&mut self, sign: char) -> Result<bool, Wrong> {
        let is_there = self.token == Token::Sign(sign);
        if is_there {
            self.advance()?;
        }
        Ok(is_there)
    }

    fn is_keyword(&self, word: &str) -> bool {
        matches!(&self.token, Token::Id { text, is_bare: true } if text.eq_ignore_ascii_case(word))
    }

    fn takes_keyword(&mut self, word: &str) -> Result<bool, Wrong> {
        let is_there = self.is_keyword(word);
        if is_there {
            self.advance()?;
        }
        Ok(is_there)
    }

    fn unexpected<T>(&self, wanted: &str) -> Result<T, Wrong> {
        let found = match &self.token {
            Token::Id { text, .. } => format!("{:?}", excerpt(text)),
            Token::Sign(sign) => format!("`{sign}`"),
            Token::Edge { is_directed: true } => "`->`".to_owned(),
            Token::Edge { is_directed: false } => "`--`".to_owned(),
            Token::End => "the end of the file".to_owned(),
        };
        Err((self.at, format!("expected {wanted}, found {found}")))
    }

    /// Reads an identifier; strings may be concatenated with `+`.
    fn id(&mut self, wanted: &str) -> Result<Cow<'a, str>, Wrong> {
        if !matches!(self.token, Token::Id { .. }) {
            return self.unexpected(wanted);
        }
        let Token::Id { mut text, .. } = self.advance()? else { return self.unexpected(wanted) };
        while self.takes_sign('+')? {
            match self.advance()? {
                Token::Id { text: more, .. } => text.to_mut().push_str(&more),
                _ => return self.unexpected("a string after `+`"),
            }
        }
        Ok(text)
    }

    fn graph(mut self) -> Result<Draft<'a>, Wrong> {
        if self.takes_keyword("strict")? {
            self.joined = Some(FxHashSet::default());
        }
        if self.takes_keyword("digraph")? {
            self.is_directed = true;
        } else if !self.takes_keyword("graph")? {
            return self.unexpected("`graph` or `digraph`");
        }
        if matches!(self.token, Token::Id { .. }) {
            let name = self.id("a name")?;
            self.draft.name = Some(name.into_owned()).filter(|name| !name.is_empty());
        }
        if !self.takes_sign('{')? {
            return self.unexpected("`{`");
        }
        self.statements(Defaults::default())?;
        if self.token != Token::End {
            return self.unexpected("the end of the file (one file is one network)");
        }
        if let Some((at, homes)) = self.homes.take() {
            self.draft.set_homes(&homes).map_err(|problem| (at, problem))?;
        }
        Ok(self.draft)
    }

    /// Reads statements up to and including the closing brace.
    fn statements(&mut self, mut defaults: Defaults) -> Result<(), Wrong> {
        while !self.takes_sign('}')? {
            if self.token == Token::End {
                return self.unexpected("`}`");
            }
            if !self.takes_sign(';')? {
                self.statement(&mut defaults)?;
            }
        }
        Ok(())
    }

    fn statement(&mut self, defaults: &mut Defaults) -> Result<(), Wrong> {
        let at = self.at;
        if self.takes_keyword("graph")? {
            for (key, value) in self.attributes()? {
                self.graph_attribute(at, &key, value);
            }
        } else if self.takes_keyword("node")? {
            let attributes = self.attributes()?;
            set_node(&mut defaults.node, &attributes).map_err(|problem| (at, problem))?;
        } else if self.takes_keyword("edge")? {
            let attributes = self.attributes()?;
            set_edge(&mut defaults.edge, &attributes).map_err(|problem| (at, problem))?;
        } else {
            return self.chain(defaults);
        }
        Ok(())
    }

    /// Reads a node, an edge, a chain of edges, a subgraph, or `key = value`.
    fn chain(&mut self, defaults: &Defaults) -> Result<(), Wrong> {
        let start = self.at;
        let is_subgraph = self.is_keyword("subgraph") || self.token == Token::Sign('{');
        let first = if is_subgraph {
            self.subgraph(defaults)?
        } else {
            let id = self.id("a node, an edge or `}`")?;
            if self.takes_sign('=')? {
                let value = self.id("a value")?;
                self.graph_attribute(start, &id, value);
                return Ok(());
            }
            vec![self.node(id, defaults)?]
        };
        let mut chain = Chain::default();
        chain.push(start, &first);
        while let Token::Edge { is_directed } = self.token {
            let at = self.at;
            if is_directed != self.is_directed {
                let (kind, sign) = if is_directed { ("graph", "--") } else { ("digraph", "->") };
                return Err((at, format!("the edges of a {kind} are written `{sign}`")));
            }
            self.advance()?;
            let heads = self.head(defaults)?;
            chain.push(at, &heads);
            self.draft.check_room(chain.edges).map_err(|problem| (at, problem))?;
        }
        let attributes = self.attributes()?;
        let wrong = |problem| (start, problem);
        if chain.edges == 0 && !is_subgraph {
            return set_node(self.draft.attributes(first[0]), &attributes).map_err(wrong);
        }
        let mut edge = defaults.edge;
        set_edge(&mut edge, &attributes).map_err(wrong)?;
        for (at, tails, heads) in chain.joints() {
            self.join(edge, tails, heads).map_err(|problem| (at, problem))?;
        }
        Ok(())
    }

    /// Reads the head of an edge.
    fn head(&mut self, defaults: &Defaults) -> Result<Vec<u32>, Wrong> {
        match &self.token {
            Token::Sign('{') => self.subgraph(defaults),
            Token::Id { .. } if self.is_keyword("subgraph") => self.subgraph(defaults),
            Token::Id { .. } => {
                let id = self.id("a node")?;
                Ok(vec![self.node(id, defaults)?])
            }
            _ => self.unexpected("the node that the edge leads to"),
        }
    }

    /// The node with this name. Skips its port (`:a:b`).
    fn node(&mut self, id: Cow<'a, str>, defaults: &Defaults) -> Result<u32, Wrong> {
        while self.takes_sign(':')? {
            self.id("a port")?;
        }
        let node = self.draft.node(id, || defaults.node.clone());
        if self.depth > 0 {
            self.mentioned.push(node);
        }
        Ok(node)
    }

    /// Reads a subgraph and returns its nodes.
    fn subgraph(&mut self, defaults: &Defaults) -> Result<Vec<u32>, Wrong> {
        if self.takes_keyword("subgraph")? && matches!(self.token, Token::Id { .. }) {
            self.id("a name")?;
        }
        if self.depth == DEEPEST {
            return Err((self.at, format!("subgraphs nested more than {DEEPEST} levels deep")));
        }
        if !self.takes_sign('{')? {
            return self.unexpected("`{`");
        }
        let start = self.mentioned.len();
        self.depth += 1;
        self.statements(defaults.clone())?;
        self.depth -= 1;
        let mut nodes = self.mentioned[start..].to_vec();
        nodes.sort_unstable();
        nodes.dedup();
        self.mentioned.truncate(start);
        if self.depth > 0 {
            self.mentioned.extend(&nodes);
        }
        Ok(nodes)
    }

    /// Reads `[key = value, …]`, any number of times.
    fn attributes(&mut self) -> Result<Attributes<'a>, Wrong> {
        let mut attributes = Vec::new();
        while self.takes_sign('[')? {
            while !self.takes_sign(']')? {
                let key = self.id("an attribute or `]`")?;
                let value =
                    if self.takes_sign('=')? { self.id("a value")? } else { Cow::Borrowed("true") };
                attributes.push((key, value));
                if !self.takes_sign(',')? {
                    self.takes_sign(';')?;
                }
            }
        }
        Ok(attributes)
    }

    fn graph_attribute(&mut self, at: usize, key: &str, value: Cow<'a, str>) {
        if self.depth > 0 {
            return;
        }
        match key {
            "label" => self.draft.name = Some(unescape(&value)),
            "faults" => self.draft.set_faults(&unescape(&value)),
            "homes" => self.homes = Some((at, value)),
            _ => {}
        }
    }

    /// Joins every tail with every head.
    fn join(&mut self, edge: EdgeAttributes, tails: &[u32], heads: &[u32]) -> Result<(), String> {
        for &tail in tails {
            for &head in heads {
                let pair =
                    if self.is_directed { (tail, head) } else { (tail.min(head), tail.max(head)) };
                if self.joined.as_mut().is_none_or(|joined| joined.insert(pair)) {
                    self.draft.edge(edge.edge(tail, head, self.is_directed))?;
                }
            }
        }
        Ok(())
    }
}

fn set_node(node: &mut NodeAttributes, attributes: &Attributes<'_>) -> Result<(), String> {
    for (key, value) in attributes {
        match key.as_ref() {
            "label" => node.set(key, &unescape(value))?,
            _ => node.set(key, value)?,
        }
    }
    Ok(())
}

fn set_edge(edge: &mut EdgeAttributes, attributes: &Attributes<'_>) -> Result<(), String> {
    attributes.iter().try_for_each(|(key, value)| edge.set(key, value))
}

/// Unescapes a label: `\\` is a backslash, and `\n`, `\l` and `\r` end a line.
fn unescape(label: &str) -> String {
    let mut text = String::with_capacity(label.len());
    let mut letters = label.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => match letters.next() {
                Some('n' | 'l' | 'r') => text.push('\n'),
                Some(other) => text.push(other),
                None => text.push('\\'),
            },
            letter => text.push(letter),
        }
    }
    text
}
