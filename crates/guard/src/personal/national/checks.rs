//! The checks of national numbers. Each takes letters and digits only, in capitals, of the length of its form.

use super::super::card::luhn;

fn digits(text: &str) -> Vec<u32> {
    text.chars().filter_map(|c| c.to_digit(10)).collect()
}

fn number(text: &str) -> u64 {
    text.parse().unwrap_or(0)
}

fn weighted(digits: &[u32], weights: &[u32]) -> u32 {
    digits.iter().zip(weights).map(|(digit, weight)| digit * weight).sum()
}

/// Whether a year, month and day of two digits can be.
fn is_day(month: u64, day: u64) -> bool {
    (1..=12).contains(&month) && (1..=31).contains(&day)
}

pub(super) fn ssn(id: &str) -> bool {
    let (area, group, serial) = (number(&id[..3]), number(&id[3..5]), number(&id[5..]));
    let of_itin = [50..=65, 70..=88, 90..=92, 94..=99];
    let itin = area >= 900 && of_itin.iter().any(|groups| groups.contains(&group));
    (area != 0 && area != 666 && area < 900 && group != 0 && serial != 0) || itin
}

pub(super) fn nino(id: &str) -> bool {
    let (first, second) = (id.as_bytes()[0], id.as_bytes()[1]);
    let never = ["BG", "GB", "NK", "KN", "TN", "NT", "ZZ"];
    !b"DFIQUV".contains(&first) && !b"DFIOQUV".contains(&second) && !never.contains(&&id[..2])
}

pub(super) fn nhs(id: &str) -> bool {
    let digits = digits(id);
    let check = 11 - weighted(&digits[..9], &[10, 9, 8, 7, 6, 5, 4, 3, 2]) % 11;
    check % 11 == digits[9] && check != 10
}

/// ISO 7064 mod 11, 10; one digit of the first ten stands there two or three times.
pub(super) fn steuer_id(id: &str) -> bool {
    let digits = digits(id);
    let mut product = 10;
    for digit in &digits[..10] {
        let sum = (digit + product) % 10;
        product = (if sum == 0 { 10 } else { sum }) * 2 % 11;
    }
    let most = (0..10).map(|it| digits[..10].iter().filter(|digit| **digit == it).count()).max();
    digits[0] != 0 && (11 - product) % 10 == digits[10] && matches!(most, Some(2 | 3))
}

pub(super) fn sozialversicherung(id: &str) -> bool {
    let letter = u32::from(id.as_bytes()[8] - b'A') + 1;
    let mut all = digits(&id[..8]);
    all.extend([letter / 10, letter % 10]);
    all.extend(digits(&id[9..11]));
    let weights = [2, 1, 2, 5, 7, 1, 2, 1, 2, 1, 2, 1];
    let sum: u32 =
        all.iter().zip(weights).map(|(it, weight)| it * weight).map(|it| it / 10 + it % 10).sum();
    let (day, month) = (number(&id[2..4]), number(&id[4..6]));
    Some(sum % 10) == digits(&id[11..]).first().copied() && is_day(month, day)
}

pub(super) fn dni(id: &str) -> bool {
    let digits = match id.as_bytes()[0] {
        b'X' => format!("0{}", &id[1..8]),
        b'Y' => format!("1{}", &id[1..8]),
        b'Z' => format!("2{}", &id[1..8]),
        _ => id[..8].to_owned(),
    };
    let letter = b"TRWAGMYFPDXBNJZSQVHLCKE"[usize::try_from(number(&digits) % 23).unwrap_or(0)];
    id.as_bytes()[8] == letter
}

/// Corsica's departments have letters.
pub(super) fn nir(id: &str) -> bool {
    let body = id[..13].replace("2A", "19").replace("2B", "18");
    let month = number(&id[3..5]);
    let months = (1..=12).contains(&month) || (20..=42).contains(&month) || month >= 50;
    body.bytes().all(|it| it.is_ascii_digit())
        && 97 - number(&body) % 97 == number(&id[13..])
        && months
}

pub(super) fn codice_fiscale(id: &str) -> bool {
    const ODD: [u32; 26] = [
        1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24,
        23,
    ];
    let place = |byte: u8| u32::from(if byte.is_ascii_digit() { byte - b'0' } else { byte - b'A' });
    let sum: u32 = id.as_bytes()[..15]
        .iter()
        .enumerate()
        .map(|(at, byte)| if at % 2 == 0 { ODD[place(*byte) as usize] } else { place(*byte) })
        .sum();
    sum % 26 == place(id.as_bytes()[15])
}

pub(super) fn bsn(id: &str) -> bool {
    let digits = digits(id);
    let sum = weighted(&digits[..8], &[9, 8, 7, 6, 5, 4, 3, 2]);
    sum >= digits[8] && (sum - digits[8]).is_multiple_of(11) && number(id) != 0
}

pub(super) fn rijksregister(id: &str) -> bool {
    let (body, check) = (number(&id[..9]), number(&id[9..]));
    97 - body % 97 == check || 97 - (2_000_000_000 + body) % 97 == check
}

pub(super) fn nif(id: &str) -> bool {
    let digits = digits(id);
    let rest = weighted(&digits[..8], &[9, 8, 7, 6, 5, 4, 3, 2]) % 11;
    digits[8] == if rest < 2 { 0 } else { 11 - rest }
}

pub(super) fn cpf(id: &str) -> bool {
    let digits = digits(id);
    let check = |length: usize| {
        let weights: Vec<u32> = (2..=11).rev().skip(10 - length).collect();
        let rest = weighted(&digits[..length], &weights) * 10 % 11;
        if rest == 10 { 0 } else { rest }
    };
    check(9) == digits[9] && check(10) == digits[10] && digits.iter().any(|it| *it != digits[0])
}

pub(super) fn pesel(id: &str) -> bool {
    let digits = digits(id);
    let sum = weighted(&digits[..10], &[1, 3, 7, 9, 1, 3, 7, 9, 1, 3]);
    (10 - sum % 10) % 10 == digits[10] && number(id) != 0
}

pub(super) fn personnummer(id: &str) -> bool {
    let id = &id[id.len() - 10..];
    let day = number(&id[4..6]);
    luhn(id) && is_day(number(&id[2..4]), if day > 60 { day - 60 } else { day })
}

pub(super) fn ahv(id: &str) -> bool {
    let digits = digits(id);
    let sum = weighted(&digits[..12], &[1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3]);
    (10 - sum % 10) % 10 == digits[12]
}

/// China: ISO 7064 mod 11, 2, and a day of birth that can be.
pub(super) fn resident(id: &str) -> bool {
    let digits = digits(&id[..17]);
    let sum = weighted(&digits, &[7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2]);
    let check = b"10X98765432"[(sum % 11) as usize];
    id.as_bytes()[17] == check && is_day(number(&id[10..12]), number(&id[12..14]))
}

pub(super) fn my_number(id: &str) -> bool {
    let digits = digits(id);
    let rest = weighted(&digits[..11], &[6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2]) % 11;
    digits[11] == if rest <= 1 { 0 } else { 11 - rest }
}

/// India: Verhoeff.
pub(super) fn aadhaar(id: &str) -> bool {
    const TURN: [u32; 8] = [0, 1, 5, 8, 9, 4, 2, 7];
    // The dihedral group of ten elements.
    let times = |one: u32, two: u32| match (one < 5, two < 5) {
        (true, true) => (one + two) % 5,
        (true, false) => (one + two) % 5 + 5,
        (false, true) => (one + 5 - two) % 5 + 5,
        (false, false) => (one + 5 - two) % 5,
    };
    // 1 -> 5 -> 8 -> 9 -> 4 -> 2 -> 7 -> 0 -> 1, and 3 with 6.
    let step = |digit: u32| match TURN.iter().position(|it| *it == digit) {
        Some(at) => TURN[(at + 1) % 8],
        None => 9 - digit,
    };
    let check = digits(id).iter().rev().enumerate().fold(0, |sum, (place, digit)| {
        times(sum, (0..place % 8).fold(*digit, |digit, _| step(digit)))
    });
    check == 0
}

pub(super) fn snils(id: &str) -> bool {
    let digits = digits(id);
    let sum = weighted(&digits[..9], &[9, 8, 7, 6, 5, 4, 3, 2, 1]) % 101 % 100;
    sum == digits[9] * 10 + digits[10]
}

pub(super) fn inn(id: &str) -> bool {
    let digits = digits(id);
    let one = weighted(&digits[..10], &[7, 2, 4, 10, 3, 5, 9, 4, 6, 8]) % 11 % 10;
    let two = weighted(&digits[..11], &[3, 7, 2, 4, 10, 3, 5, 9, 4, 6, 8]) % 11 % 10;
    one == digits[10] && two == digits[11]
}

pub(super) fn sin(id: &str) -> bool {
    luhn(id) && !id.starts_with(['0', '8'])
}

pub(super) fn tfn(id: &str) -> bool {
    weighted(&digits(id), &[1, 4, 3, 7, 5, 8, 6, 9, 10]).is_multiple_of(11) && number(id) != 0
}

/// Letters and digits as documents have them; a year or a word is none.
pub(super) fn document(id: &str) -> bool {
    let count = id.bytes().filter(u8::is_ascii_digit).count();
    count >= 4 && (6..=12).contains(&id.len())
}
