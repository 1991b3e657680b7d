//! Pages of a PDF as pictures, and picture files.

use std::io::Cursor;

use hayro::{
    PixmapSettings, RenderCache, RenderSettings, hayro_interpret::InterpreterSettings,
    hayro_syntax::Pdf, render, vello_cpu::color::palette::css::WHITE,
};

/// The most pixels of a picture: a sheet of A3 at 300 dots per inch, twice over.
const MOST: f32 = 35_000_000.0;

/// A picture: three bytes for each pixel, red, green and blue.
pub(crate) struct Picture {
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) rgb: Vec<u8>,
    /// Its pixels in a point.
    pub(crate) scale: f32,
}

impl Picture {
    /// A picture file.
    pub(crate) fn open(bytes: &[u8]) -> Result<Self, String> {
        let mut reader = image::ImageReader::new(Cursor::new(bytes))
            .with_guessed_format()
            .map_err(|error| error.to_string())?;
        let mut limits = image::Limits::default();
        limits.max_alloc = Some(256 << 20);
        reader.limits(limits);
        let picture = reader.decode().map_err(|error| error.to_string())?.into_rgb8();
        let (width, height) = (picture.width() as usize, picture.height() as usize);
        if width as f32 * height as f32 > MOST {
            return Err("it has too many pixels".to_owned());
        }
        // A picture does not say how large its page was. A scan has about 150 pixels in an inch or more.
        Ok(Self { width, height, rgb: picture.into_raw(), scale: 150.0 / 72.0 })
    }

    /// Red, green and blue of a pixel; outside of the picture it is white.
    pub(crate) fn at(&self, x: f32, y: f32) -> [u8; 3] {
        if x < 0.0 || y < 0.0 || x >= self.width as f32 || y >= self.height as f32 {
            return [255; 3];
        }
        let at = (y as usize * self.width + x as usize) * 3;
        self.rgb.get(at..at + 3).and_then(|three| three.try_into().ok()).unwrap_or([255; 3])
    }

    /// The picture in another size: each pixel is the mean of those that it stands for.
    pub(crate) fn resized(
        &self,
        left: f32,
        top: f32,
        wide: f32,
        high: f32,
        to: (usize, usize),
    ) -> Vec<[f32; 3]> {
        let (columns, rows) = to;
        let (across, down) = (wide / columns as f32, high / rows as f32);
        let samples = |step: f32| (step.ceil() as usize).clamp(1, 8);
        let (many_x, many_y) = (samples(across), samples(down));
        let mut pixels = Vec::with_capacity(columns * rows);
        for row in 0..rows {
            for column in 0..columns {
                let mut sum = [0.0_f32; 3];
                for j in 0..many_y {
                    for i in 0..many_x {
                        let x = left + (column as f32 + (i as f32 + 0.5) / many_x as f32) * across;
                        let y = top + (row as f32 + (j as f32 + 0.5) / many_y as f32) * down;
                        let color = if many_x == 1 && many_y == 1 {
                            self.between(x, y)
                        } else {
                            self.at(x, y).map(f32::from)
                        };
                        for (sum, part) in sum.iter_mut().zip(color) {
                            *sum += part;
                        }
                    }
                }
                pixels.push(sum.map(|part| part / (many_x * many_y) as f32));
            }
        }
        pixels
    }

    /// The colour at a place between pixels.
    fn between(&self, x: f32, y: f32) -> [f32; 3] {
        let (x, y) = ((x - 0.5).max(0.0), (y - 0.5).max(0.0));
        let (left, top) = (x.floor(), y.floor());
        let (right, low) =
            ((left + 1.0).min(self.width as f32 - 1.0), (top + 1.0).min(self.height as f32 - 1.0));
        let (dx, dy) = (x - left, y - top);
        let corner = |x: f32, y: f32| self.at(x, y).map(f32::from);
        let (a, b, c, d) =
            (corner(left, top), corner(right, top), corner(left, low), corner(right, low));
        std::array::from_fn(|at| {
            let upper = a[at] * (1.0 - dx) + b[at] * dx;
            let lower = c[at] * (1.0 - dx) + d[at] * dx;
            upper * (1.0 - dy) + lower * dy
        })
    }

    /// The picture turned by a small angle around its middle.
    pub(crate) fn turned(&self, angle: f32) -> Self {
        let (sin, cos) = angle.sin_cos();
        let (mid_x, mid_y) = (self.width as f32 / 2.0, self.height as f32 / 2.0);
        let mut rgb = Vec::with_capacity(self.rgb.len());
        for row in 0..self.height {
            for column in 0..self.width {
                let (x, y) = (column as f32 + 0.5 - mid_x, row as f32 + 0.5 - mid_y);
                let (from_x, from_y) = (cos * x - sin * y + mid_x, sin * x + cos * y + mid_y);
                let inside = from_x >= 0.0
                    && from_y >= 0.0
                    && from_x < self.width as f32
                    && from_y < self.height as f32;
                let color = if inside { self.between(from_x, from_y) } else { [255.0; 3] };
                rgb.extend(color.map(|part| part.round() as u8));
            }
        }
        Self { width: self.width, height: self.height, rgb, scale: self.scale }
    }
}

/// A PDF whose pages can be drawn.
pub(crate) struct Raster {
    pdf: Pdf,
}

impl Raster {
    pub(crate) fn open(bytes: &[u8]) -> Result<Self, String> {
        let pdf = Pdf::new(bytes.to_vec()).map_err(|error| format!("{error:?}"))?;
        Ok(Self { pdf })
    }

    /// A page, from 1, at so many dots per inch; fewer where that would be too many pixels.
    pub(crate) fn page(&self, page: u32, dots: f32) -> Result<Picture, String> {
        let pages = self.pdf.pages();
        let page = pages.get((page as usize).wrapping_sub(1)).ok_or("there is no such page")?;
        let (width, height) = page.render_dimensions();
        if !(width > 0.0 && height > 0.0) {
            return Err("it has no size".to_owned());
        }
        let most = (MOST / (width * height)).sqrt().min(16_000.0 / width.max(height));
        let scale = (dots / 72.0).min(most);
        let drawn = render(
            page,
            &RenderCache::new(),
            &InterpreterSettings::default(),
            &RenderSettings::default(),
            &PixmapSettings { x_scale: scale, y_scale: scale, bg_color: WHITE },
        );
        let (width, height) = (usize::from(drawn.width()), usize::from(drawn.height()));
        let rgb = drawn.data().iter().flat_map(|pixel| [pixel.r, pixel.g, pixel.b]).collect();
        Ok(Picture { width, height, rgb, scale })
    }
}
