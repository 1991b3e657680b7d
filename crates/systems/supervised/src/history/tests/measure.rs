//! What a long history costs. It prints figures and asserts nothing about time: run it by name, with `--ignored`.

use super::*;

const COUNT: u64 = 100_000;

/// The CPU time of this thread, in microseconds.
fn cpu() -> u64 {
    let text = fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    text.split(' ').next().unwrap().parse::<u64>().unwrap() / 1000
}

fn peak() -> String {
    let text = fs::read_to_string("/proc/self/status").unwrap();
    text.lines().find(|line| line.starts_with("VmHWM")).unwrap().to_owned()
}

/// An interaction that does not compress to nothing.
fn varied(sequence: u64) -> Data {
    let mut state = sequence.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut prompt = String::new();
    while prompt.len() < 1300 {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        prompt.push_str(&format!("word{} ", state % 5000));
    }
    let text = interaction(sequence, 0).as_str().replacen(
        r#""prompt":""#,
        &format!(r#""prompt":"{prompt}"#),
        1,
    );
    Data::restore(text).unwrap()
}

#[test]
#[ignore = "takes a minute, and tells figures"]
fn a_hundred_thousand_interactions() {
    let dir = Dir::new();
    let mut file = dir.create(20_000_000);
    let mut spent = Vec::new();
    for thousand in 0..COUNT / 1000 {
        let batch: Vec<Data> = (thousand * 1000..(thousand + 1) * 1000).map(varied).collect();
        let before = cpu();
        for interaction in &batch {
            file.append(std::slice::from_ref(interaction), &[], false).unwrap();
        }
        spent.push(cpu() - before);
    }
    println!("append, 1000 each: first {} us, last {} us", spent[0], spent[spent.len() - 1]);
    println!(
        "most (with a rotation) {} us, all {} us",
        spent.iter().max().unwrap(),
        spent.iter().sum::<u64>()
    );
    println!("segments {:?}, file {} bytes, {}", dir.segments().len(), dir.size(), peak());
    let before = cpu();
    drop(file);
    drop(HistoryFile::open(dir.path(), 20_000_000).unwrap());
    println!("open {} us", cpu() - before);
    let (mut most, mut all) = (0, 0);
    for at in 0..200 {
        let wanted = at * 7919 * 31 % COUNT;
        let before = cpu();
        let read: Vec<_> = interactions(dir.path(), wanted, wanted).collect();
        let took = cpu() - before;
        assert_eq!(sequence(read[0].as_ref().unwrap()), wanted);
        (most, all) = (most.max(took), all + took);
    }
    println!("a random read: mean {} us, most {most} us", all / 200);
    let before = cpu();
    let mut count = 0;
    assert_eq!(check(dir.path(), |_, _| count += 1).unwrap(), []);
    println!("check of {count}: {} us, {}", cpu() - before, peak());
}
