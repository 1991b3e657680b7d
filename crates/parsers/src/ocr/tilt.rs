//! By how much a page is turned.
//!
//! Seen along its lines, a page of text is dark and light in turns; seen askew, it is grey. So the dark pixels are
//! counted by rows that fall by a guess, and the guess is best where neighbouring rows differ most.

use super::Picture;

/// A page may be turned by so much, in radians: seven degrees. What is turned further was laid down in another way.
const MOST: f32 = 0.122;

/// Steps of the first and the last look.
const STEPS: [f32; 2] = [0.005, 0.000_7];

/// How much clearer the rows must be than they are without a turn.
const CLEARER: f32 = 1.5;

/// The longer side of what is looked at, in pixels.
const SIDE: f32 = 1200.0;

/// The most dark pixels that are looked at. A page that is darker is thinned.
const DARK: usize = 120_000;

/// The angle by which the lines of a picture fall to the right, in radians. Zero where it has no lines.
pub(super) fn tilt(picture: &Picture) -> f32 {
    let points = dark(picture);
    let straight = clarity(&points, 0.0);
    let (mut best, mut angle) = (straight, 0.0);
    let mut from = (-MOST, MOST);
    for step in STEPS {
        let count = ((from.1 - from.0) / step).round() as usize;
        for at in 0..=count {
            let guess = from.0 + at as f32 * step;
            let found = clarity(&points, guess);
            if found > best {
                (best, angle) = (found, guess);
            }
        }
        from = (angle - step, angle + step);
    }
    if best > straight * CLEARER { angle } else { 0.0 }
}

/// Where the picture is much darker than its paper, on a smaller scale.
fn dark(picture: &Picture) -> Vec<(f32, f32)> {
    let (width, height) = (picture.width as f32, picture.height as f32);
    let scale = (SIDE / width.max(height)).min(1.0);
    let to = (((width * scale) as usize).max(1), ((height * scale) as usize).max(1));
    let pixels = picture.resized(0.0, 0.0, width, height, to);
    let grey = |pixel: &[f32; 3]| pixel.iter().sum::<f32>() / 3.0;
    let paper = pixels.iter().map(grey).sum::<f32>() / pixels.len().max(1) as f32;
    let is_dark = |pixel: &[f32; 3]| grey(pixel) < paper * 0.7;
    let every = pixels.iter().filter(|pixel| is_dark(pixel)).count() / DARK + 1;
    let found = pixels.iter().enumerate().filter(|(_, pixel)| is_dark(pixel)).step_by(every);
    found.map(|(at, _)| ((at % to.0) as f32, (at / to.0) as f32)).collect()
}

/// How much rows that fall by this angle differ from their neighbours.
fn clarity(points: &[(f32, f32)], angle: f32) -> f32 {
    let (sin, cos) = angle.sin_cos();
    let mut rows = vec![0.0_f32; (SIDE * 2.5) as usize];
    for (x, y) in points {
        let row = y * cos - x * sin + SIDE / 2.0;
        if let Some(row) = rows.get_mut(row.max(0.0) as usize) {
            *row += 1.0;
        }
    }
    rows.windows(2).map(|pair| (pair[1] - pair[0]).powi(2)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A page with lines of words.
    fn page() -> Picture {
        let (width, height) = (850, 1100);
        let mut rgb = vec![255; width * height * 3];
        for line in 0..40 {
            for x in (80..770).filter(|x| x % 60 < 48 && (x / 6 + line) % 5 > 0) {
                for y in 100 + line * 22..112 + line * 22 {
                    rgb[(y * width + x) * 3..][..3].fill(30);
                }
            }
        }
        Picture { width, height, rgb, scale: 1.4 }
    }

    #[test]
    fn a_page_is_turned_back_by_what_it_was_turned() {
        let page = page();
        for degrees in [0.0_f32, 0.3, -0.8, 2.5, -4.0, 6.5] {
            let angle = degrees.to_radians();
            let found = tilt(&page.turned(-angle));
            assert!((found - angle).abs() < 0.0015, "{degrees}: {}", found.to_degrees());
        }
    }

    #[test]
    fn what_has_no_lines_is_not_turned() {
        let blank = Picture { width: 300, height: 400, rgb: vec![255; 360_000], scale: 1.0 };
        assert_eq!(tilt(&blank), 0.0);
        let mut seed = 7_u32;
        let noise = (0..360_000).map(|_| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 24) as u8
        });
        assert_eq!(tilt(&Picture { rgb: noise.collect(), ..blank }), 0.0);
        assert_eq!(tilt(&Picture { width: 1, height: 1, rgb: vec![0; 3], scale: 1.0 }), 0.0);
    }
}
