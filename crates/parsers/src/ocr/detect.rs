//! Where lines of text are, from a map of how likely each pixel is inside one.

/// Pixels that are likelier than this are text.
const PIXEL: f32 = 0.3;

/// An area whose pixels are less likely in the mean is none.
const AREA: f32 = 0.5;

/// The map has the core of a line; the line is larger by its area times this, divided by the length around it.
const GROW: f32 = 1.6;

/// The boxes of the areas of text of a map, by rows of `width` pixels: left, top, right and bottom.
pub(super) fn areas(map: &[f32], width: usize) -> Vec<[f32; 4]> {
    let height = map.len() / width.max(1);
    let mut seen = vec![false; map.len()];
    let mut found = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    for start in 0..width * height {
        if seen[start] || map[start] <= PIXEL {
            continue;
        }
        seen[start] = true;
        open.push(start);
        let mut sums = Sums::default();
        while let Some(at) = open.pop() {
            let (x, y) = (at % width, at / width);
            sums.add(x, y, map[at]);
            for (next_x, next_y) in around(x, y, width, height) {
                let next = next_y * width + next_x;
                if !seen[next] && map[next] > PIXEL {
                    seen[next] = true;
                    open.push(next);
                }
            }
        }
        found.extend(sums.bbox());
    }
    found
}

fn around(x: usize, y: usize, width: usize, height: usize) -> impl Iterator<Item = (usize, usize)> {
    let (left, right) = (x.saturating_sub(1), (x + 1).min(width - 1));
    let (top, low) = (y.saturating_sub(1), (y + 1).min(height - 1));
    (top..=low).flat_map(move |y| (left..=right).map(move |x| (x, y)))
}

/// What is gathered of the pixels of an area.
struct Sums {
    count: f64,
    likely: f64,
    bbox: [usize; 4],
}

impl Default for Sums {
    fn default() -> Self {
        let bbox = [usize::MAX, usize::MAX, 0, 0];
        Self { count: 0.0, likely: 0.0, bbox }
    }
}

impl Sums {
    fn add(&mut self, x: usize, y: usize, likely: f32) {
        let [left, top, right, low] = self.bbox;
        self.bbox = [left.min(x), top.min(y), right.max(x), low.max(y)];
        self.count += 1.0;
        self.likely += f64::from(likely);
    }

    fn bbox(&self) -> Option<[f32; 4]> {
        let [left, top, right, low] = self.bbox.map(|side| side as f32);
        let (wide, high) = (right - left + 1.0, low - top + 1.0);
        if self.likely / self.count < f64::from(AREA) || wide.min(high) < 3.0 {
            return None;
        }
        let grow = self.count as f32 * GROW / (2.0 * (wide + high));
        Some([left - grow, top - grow, right + 1.0 + grow, low + 1.0 + grow])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn areas_are_boxes_that_are_larger_than_their_cores() {
        let (width, height) = (100, 40);
        let mut map = vec![0.0; width * height];
        for x in 10..90 {
            for y in 0..4 {
                // Falls by one in twenty.
                map[(10 + x / 20 + y) * width + x] = 0.9;
            }
        }
        map[35 * width + 50] = 0.9;
        let found = areas(&map, width);
        assert_eq!(found.len(), 1);
        let [left, top, right, low] = found[0];
        assert!(left < 9.0 && right > 91.0 && top < 9.0 && low > 18.0);
    }
}
