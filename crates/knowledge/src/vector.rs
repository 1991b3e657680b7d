//! Vectors of one byte for each dimension, and how alike two of them are.
//!
//! A [`Vector`] is what is kept of a text's meaning: its direction, in steps of a 127th of its largest part. A
//! [`Query`] keeps 16 bits. Their product is summed in whole numbers, so every adapter gets the same result to the last
//! digit, in whichever order it adds.

/// A direction, as bytes and the length of one step.
#[derive(Clone, Debug, PartialEq)]
pub struct Vector {
    pub scale: f32,
    pub parts: Vec<i8>,
}

impl Vector {
    /// The direction of these numbers; nothing if they have none.
    #[must_use]
    pub fn of(numbers: &[f32]) -> Option<Self> {
        let (largest, length) = measure(numbers)?;
        let part = |number: &f32| (number / largest * 127.0).round() as i8;
        let parts: Vec<i8> = numbers.iter().map(part).collect();
        Some(Self { scale: largest / length / 127.0, parts })
    }

    /// As bytes: the step, then the parts.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = self.scale.to_le_bytes().to_vec();
        bytes.extend(self.parts.iter().map(|part| part.cast_unsigned()));
        bytes
    }

    /// Back from [`Vector::to_bytes`].
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (scale, parts) = bytes.split_first_chunk::<4>()?;
        let scale = f32::from_le_bytes(*scale);
        let is_sound = scale.is_finite() && !parts.is_empty();
        is_sound
            .then(|| Self { scale, parts: parts.iter().map(|part| part.cast_signed()).collect() })
    }
}

/// What is compared with many vectors.
#[derive(Clone, Debug, PartialEq)]
pub struct Query {
    scale: f32,
    parts: Vec<i16>,
}

impl Query {
    #[must_use]
    pub fn of(numbers: &[f32]) -> Option<Self> {
        let (largest, length) = measure(numbers)?;
        let part = |number: &f32| (number / largest * 32_767.0).round() as i16;
        let parts: Vec<i16> = numbers.iter().map(part).collect();
        Some(Self { scale: largest / length / 32_767.0, parts })
    }

    #[must_use]
    pub fn dimensions(&self) -> usize {
        self.parts.len()
    }

    /// The cosine of the angle between the two: 1 in the same direction. Vectors of another model, with other
    /// dimensions, have nothing in common.
    #[must_use]
    pub fn cosine(&self, scale: f32, parts: &[i8]) -> f32 {
        if parts.len() != self.parts.len() {
            return 0.0;
        }
        // Over this many dimensions a sum of whole numbers could overflow.
        const MOST: usize = 512;
        let sum = if parts.len() <= MOST {
            f64::from(product(&self.parts, parts))
        } else {
            let pairs = self.parts.chunks(MOST).zip(parts.chunks(MOST));
            pairs.map(|(ours, theirs)| f64::from(product(ours, theirs))).sum()
        };
        (sum * f64::from(self.scale) * f64::from(scale)) as f32
    }
}

/// Sixteen sums at a time: the compiler makes vector instructions of it. At most 512 parts, of which at most 2^31
/// can come: 512 × 32767 × 127 is less.
fn product(query: &[i16], vector: &[i8]) -> i32 {
    const LANES: usize = 16;
    let (ours, our_rest) = query.as_chunks::<LANES>();
    let (theirs, their_rest) = vector.as_chunks::<LANES>();
    let mut sum = 0_i32;
    for (ours, theirs) in ours.iter().zip(theirs) {
        let mut part = 0_i32;
        for lane in 0..LANES {
            part += i32::from(ours[lane]) * i32::from(i16::from(theirs[lane]));
        }
        sum += part;
    }
    let rest = our_rest.iter().zip(their_rest);
    sum + rest.map(|(ours, theirs)| i32::from(*ours) * i32::from(*theirs)).sum::<i32>()
}

/// The largest part and the length.
fn measure(numbers: &[f32]) -> Option<(f32, f32)> {
    let largest = numbers.iter().fold(0.0_f32, |most, number| most.max(number.abs()));
    let length = numbers.iter().map(|number| f64::from(*number).powi(2)).sum::<f64>().sqrt() as f32;
    (largest > 0.0 && length.is_finite()).then_some((largest, length))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noise(seed: u64, count: usize) -> Vec<f32> {
        let mut state = seed;
        let mut next = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as f32 / (1_u64 << 30) as f32 - 1.0
        };
        (0..count).map(|_| next()).collect()
    }

    fn exact(a: &[f32], b: &[f32]) -> f32 {
        let dot = |x: &[f32], y: &[f32]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f32>();
        dot(a, b) / (dot(a, a).sqrt() * dot(b, b).sqrt())
    }

    #[test]
    fn a_byte_for_each_dimension_is_nearly_exact() {
        for seed in 0..100 {
            for count in [1, 15, 16, 17, 384, 1_000] {
                let (a, b) = (noise(seed * 2 + 1, count), noise(seed * 2 + 2, count));
                let (query, vector) = (Query::of(&a).unwrap(), Vector::of(&b).unwrap());
                let found = query.cosine(vector.scale, &vector.parts);
                assert!((found - exact(&a, &b)).abs() < 0.01, "{found} {}", exact(&a, &b));
            }
        }
    }

    #[test]
    fn the_largest_numbers_do_not_overflow() {
        let ones = vec![1.0; 512];
        let (query, vector) = (Query::of(&ones).unwrap(), Vector::of(&ones).unwrap());
        assert!((query.cosine(vector.scale, &vector.parts) - 1.0).abs() < 1e-4);
    }

    #[test]
    fn what_has_no_direction_is_no_vector() {
        for none in [vec![], vec![0.0; 4], vec![f32::NAN; 4], vec![f32::INFINITY, 1.0]] {
            assert_eq!((Vector::of(&none), Query::of(&none)), (None, None), "{none:?}");
        }
        assert_eq!(Query::of(&[1.0, 0.0]).unwrap().cosine(1.0, &[1]), 0.0);
    }

    #[test]
    fn bytes_come_back() {
        let vector = Vector::of(&noise(7, 384)).unwrap();
        assert_eq!(Vector::from_bytes(&vector.to_bytes()), Some(vector));
        assert_eq!(Vector::from_bytes(&[0, 0, 0]), None);
        assert_eq!(Vector::from_bytes(&f32::NAN.to_le_bytes()), None);
    }
}
