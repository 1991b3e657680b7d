//! Makes `src/weights.bin` from `bench/data/guard/train`: `cargo run --release -p consign-guard --example train`.
//!
//! Logistic regression by AdaGrad over the features of the crate itself. Everything is seeded, so the same data gives the
//! same file.
#![allow(clippy::print_stdout, reason = "it is there to print")]

use std::{fs, path::Path};

use consign_guard::{BUCKETS, features};

/// How many texts are taken of each line.
const OF_A_LINE: usize = 40;
const ROUNDS: usize = 30;
const RATE: f64 = 0.3;
const DECAY: f64 = 1e-4;
/// A missed attack of training counts less than a false alarm.
const ATTACKS_COUNT: f64 = 0.7;

struct Random(u64);

impl Random {
    /// xorshift64*.
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let high = self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33;
        usize::try_from(high).unwrap_or(0) % end
    }
}

/// One of the texts that a line stands for. A `|` outside braces is a letter like others.
fn one_of(line: &str, random: &mut Random) -> String {
    let mut text = String::new();
    let mut rest = line;
    while let Some((before, after)) = rest.split_once('{') {
        text.push_str(before);
        let Some((inner, behind)) = after.split_once('}') else { break };
        // `<|system|>` is a choice, not three.
        let hidden = inner.replace("<|", "\u{1}").replace("|>", "\u{2}");
        let choices: Vec<&str> = hidden.split('|').collect();
        let choice = choices[random.below(choices.len())];
        text.push_str(&choice.replace('\u{1}', "<|").replace('\u{2}', "|>"));
        rest = behind;
    }
    text + rest
}

fn texts(file: &Path, random: &mut Random) -> Vec<String> {
    let content = fs::read_to_string(file).expect("the data is there");
    let lines = content.lines().filter(|line| !line.is_empty() && !line.starts_with("# "));
    let mut all: Vec<String> = lines
        .flat_map(|line| (0..OF_A_LINE).map(|_| one_of(line, random)).collect::<Vec<_>>())
        .collect();
    all.sort();
    all.dedup();
    all
}

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = root.join("../../bench/data/guard/train");
    let mut random = Random(0x5eed_0001);
    let mut samples: Vec<(Vec<u32>, f64)> = Vec::new();
    for (name, label) in [("attacks.txt", 1.0), ("harmless.txt", 0.0), ("prose.txt", 0.0)] {
        let texts = texts(&folder.join(name), &mut random);
        println!("{name}: {} texts", texts.len());
        samples.extend(texts.iter().map(|text| (features(text), label)));
    }
    let (mut weights, mut squares) = (vec![0.0f64; BUCKETS], vec![1e-8f64; BUCKETS]);
    let (mut bias, mut bias_square) = (0.0f64, 1e-8f64);
    for round in 0..ROUNDS {
        for at in (1..samples.len()).rev() {
            samples.swap(at, random.below(at + 1));
        }
        let mut loss = 0.0;
        for (buckets, label) in &samples {
            let value = 1.0 / (buckets.len().max(1) as f64).sqrt();
            let sum: f64 = buckets.iter().map(|it| weights[*it as usize]).sum();
            let probability = 1.0 / (1.0 + (-(bias + sum * value)).exp());
            let count = if *label > 0.5 { ATTACKS_COUNT } else { 1.0 };
            let wrong = (probability - label) * count;
            loss -= count * (1.0 - (probability - label).abs()).max(1e-12).ln();
            for bucket in buckets {
                let bucket = *bucket as usize;
                let slope = wrong * value + DECAY * weights[bucket];
                squares[bucket] += slope * slope;
                weights[bucket] -= RATE * slope / squares[bucket].sqrt();
            }
            bias_square += wrong * wrong;
            bias -= RATE * wrong / bias_square.sqrt();
        }
        println!("round {round}: loss {:.4}", loss / samples.len() as f64);
    }
    let largest = weights.iter().fold(0.0f64, |most, it| most.max(it.abs()));
    let scale = largest / 127.0;
    #[allow(clippy::cast_possible_truncation, reason = "they are within a byte by the scale")]
    let bytes = weights.iter().map(|it| ((it / scale).round() as i8).cast_unsigned());
    #[allow(clippy::cast_possible_truncation, reason = "the precision of a weight is enough")]
    let head = [(scale as f32).to_le_bytes(), (bias as f32).to_le_bytes()].concat();
    let file: Vec<u8> = head.into_iter().chain(bytes).collect();
    fs::write(root.join("src/weights.bin"), &file).expect("the weights are written");
    println!("{} bytes, largest {largest:.2}, bias {bias:.2}", file.len());
}
