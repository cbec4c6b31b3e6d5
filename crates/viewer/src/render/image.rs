//! A picture.

use std::io::{BufWriter, Write};
use std::path::Path;

use crate::recording::RecordingError;

/// A picture: rows from top to bottom, four bytes (red, green, blue, opacity; sRGB) per pixel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// Width in pixels.
    pub width: usize,
    /// Height in pixels.
    pub height: usize,
    /// The pixels.
    pub rgba: Vec<u8>,
}

impl Image {
    /// The colour of a pixel, counted from the top left; panics outside of the picture.
    pub fn pixel(&self, x: usize, y: usize) -> [u8; 4] {
        assert!(x < self.width && y < self.height, "pixel ({x}, {y}) of {} x {}", self.width, self.height);
        let at = 4 * (y * self.width + x);
        std::array::from_fn(|i| self.rgba[at + i])
    }

    /// Writes the picture as a PNG file.
    pub fn write_png(&self, path: impl AsRef<Path>) -> Result<(), RecordingError> {
        let path = path.as_ref();
        let io = |source| RecordingError::Io { path: path.to_owned(), source };
        let bytes = self.to_png().map_err(io)?;
        let mut file = BufWriter::new(std::fs::File::create(path).map_err(io)?);
        file.write_all(&bytes).and_then(|()| file.flush()).map_err(io)
    }

    /// The picture as the bytes of a PNG file; an error where `rgba` does not fit the size.
    pub fn to_png(&self) -> std::io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, self.width as u32, self.height as u32);
        encoder.set_color(png::ColorType::Rgba);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_compression(png::Compression::Fast);
        let mut writer = encoder.write_header().map_err(std::io::Error::from)?;
        writer.write_image_data(&self.rgba).map_err(std::io::Error::from)?;
        writer.finish().map_err(std::io::Error::from)?;
        Ok(bytes)
    }
}
