//! Reads the types of a Go file with their methods, to find those that have all methods of an interface:
//! Go has no keyword for it.

use tree_sitter::Node;

use super::{Parsed, last_name, text};

pub(crate) struct GoFile {
    pub(crate) package: String,
    pub(crate) types: Vec<GoType>,
    /// The type that a method belongs to, and the method.
    pub(crate) methods: Vec<(String, Method)>,
}

pub(crate) struct GoType {
    pub(crate) name: String,
    pub(crate) row: usize,
    pub(crate) body: GoBody,
}

pub(crate) enum GoBody {
    Interface {
        methods: Vec<Method>,
        /// Other interfaces that it takes in, as they are written.
        embeds: Vec<String>,
        /// It names types: it bounds them, and nothing has it as its type.
        bounds: bool,
    },
    Struct {
        /// Types whose methods it has, too.
        embeds: Vec<String>,
    },
    Other,
}

/// A method by its name and the types of what it takes and gives, without packages.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Method {
    pub(crate) name: String,
    shape: String,
}

/// Interfaces that come with Go and that others take in: their methods, or what they take in themselves.
const KNOWN: &[(&str, &str)] = &[
    ("error", "Error ->string"),
    ("any", ""),
    ("fmt.Stringer", "String ->string"),
    ("io.Reader", "Read []byte->int,error"),
    ("io.Writer", "Write []byte->int,error"),
    ("io.Closer", "Close ->error"),
    ("io.Seeker", "Seek int64,int->int64,error"),
    ("io.ReaderAt", "ReadAt []byte,int64->int,error"),
    ("io.WriterAt", "WriteAt []byte,int64->int,error"),
    ("io.StringWriter", "WriteString string->int,error"),
    ("io.ReadWriter", "Read []byte->int,error;Write []byte->int,error"),
    ("io.ReadCloser", "Read []byte->int,error;Close ->error"),
    ("io.WriteCloser", "Write []byte->int,error;Close ->error"),
    ("io.ReadSeeker", "Read []byte->int,error;Seek int64,int->int64,error"),
    ("io.ReadWriteCloser", "Read []byte->int,error;Write []byte->int,error;Close ->error"),
    ("http.Handler", "ServeHTTP ResponseWriter,*Request->"),
    ("sort.Interface", "Len ->int;Less int,int->bool;Swap int,int->"),
];

impl Method {
    /// The methods of an interface that comes with Go, if it is one of those that are known.
    pub(crate) fn of_known(interface: &str) -> Option<Vec<Self>> {
        let (_, methods) = KNOWN.iter().find(|(name, _)| *name == interface)?;
        let methods = methods.split(';').filter_map(|method| method.split_once(' '));
        Some(methods.map(|(name, shape)| Self { name: name.into(), shape: shape.into() }).collect())
    }
}

/// The types that stand at the top of a file, where methods can be given to them.
pub(crate) fn go_types(parsed: &Parsed, source: &[u8]) -> GoFile {
    let mut file = GoFile { package: String::new(), types: Vec::new(), methods: Vec::new() };
    let root = parsed.tree.root_node();
    let mut cursor = root.walk();
    for node in root.named_children(&mut cursor) {
        match node.kind() {
            "package_clause" => {
                file.package = node
                    .named_child(0)
                    .map(|name| text(source, name).to_owned())
                    .unwrap_or_default();
            }
            "method_declaration" => {
                let receiver = node.child_by_field_name("receiver");
                let of = receiver
                    .and_then(|list| list.named_child(0))
                    .and_then(|one| one.child_by_field_name("type"))
                    .and_then(last_name);
                if let (Some(of), Some(method)) = (of, method(node, source)) {
                    file.methods.push((text(source, of).to_owned(), method));
                }
            }
            "type_declaration" => {
                let mut cursor = node.walk();
                let specs = node.named_children(&mut cursor);
                file.types.extend(specs.filter_map(|spec| declared(spec, source)));
            }
            _ => {}
        }
    }
    file
}

fn declared(spec: Node<'_>, source: &[u8]) -> Option<GoType> {
    let name = spec.child_by_field_name("name").filter(|_| spec.kind() == "type_spec")?;
    let of = spec.child_by_field_name("type")?;
    let body = match of.kind() {
        "interface_type" => {
            let (mut methods, mut embeds, mut bounds) = (Vec::new(), Vec::new(), false);
            let mut cursor = of.walk();
            for part in of.named_children(&mut cursor) {
                match part.kind() {
                    "method_elem" => methods.extend(method(part, source)),
                    "type_elem" => match embedded(text(source, part)) {
                        Some(name) => embeds.push(name),
                        None => bounds = true,
                    },
                    _ => {}
                }
            }
            GoBody::Interface { methods, embeds, bounds }
        }
        "struct_type" => {
            let mut embeds = Vec::new();
            let mut cursor = of.walk();
            for list in of.named_children(&mut cursor) {
                let mut cursor = list.walk();
                let fields = list.named_children(&mut cursor);
                embeds.extend(
                    fields
                        .filter(|field| field.kind() == "field_declaration")
                        .filter(|field| field.child_by_field_name("name").is_none())
                        .filter_map(|field| field.child_by_field_name("type"))
                        .filter_map(|of| embedded(text(source, of))),
                );
            }
            GoBody::Struct { embeds }
        }
        _ => GoBody::Other,
    };
    Some(GoType { name: text(source, name).to_owned(), row: name.start_position().row, body })
}

/// A single named type, without what it is given: `io.Reader`, `List` of `*List[T]`.
fn embedded(written: &str) -> Option<String> {
    let bare = written.trim().trim_start_matches('*').split('[').next().unwrap_or_default().trim();
    let named = |part: &str| {
        !part.is_empty() && part.chars().all(|letter| letter.is_alphanumeric() || letter == '_')
    };
    (!bare.is_empty() && bare.split('.').all(named) && bare != "comparable")
        .then(|| bare.to_owned())
}

fn method(node: Node<'_>, source: &[u8]) -> Option<Method> {
    let name = text(source, node.child_by_field_name("name")?).to_owned();
    let mut shape = types(node.child_by_field_name("parameters")?, source).join(",");
    shape.push_str("->");
    if let Some(result) = node.child_by_field_name("result") {
        let given = match result.kind() {
            "parameter_list" => types(result, source),
            _ => vec![plain(text(source, result))],
        };
        shape.push_str(&given.join(","));
    }
    Some(Method { name, shape })
}

fn types(list: Node<'_>, source: &[u8]) -> Vec<String> {
    let mut all = Vec::new();
    let mut cursor = list.walk();
    for one in list.named_children(&mut cursor) {
        let Some(of) = one.child_by_field_name("type") else { continue };
        let more = if one.kind() == "variadic_parameter_declaration" { "..." } else { "" };
        let mut cursor = one.walk();
        // `a, b int` are two.
        let names = one.children_by_field_name("name", &mut cursor).count().max(1);
        let written = format!("{more}{}", plain(text(source, of)));
        all.extend(std::iter::repeat_n(written, names));
    }
    all
}

/// A type without spaces and packages: what is `Point` at home is `geo.Point` elsewhere.
fn plain(written: &str) -> String {
    let mut plain = String::new();
    let mut word = String::new();
    for letter in written.chars().chain(['\n']) {
        match letter {
            letter if letter.is_alphanumeric() || letter == '_' => word.push(letter),
            '.' if !word.is_empty() => word.clear(),
            letter => {
                plain.push_str(&std::mem::take(&mut word));
                if !letter.is_whitespace() {
                    plain.push(letter);
                }
            }
        }
    }
    plain.replace("interface{}", "any")
}
