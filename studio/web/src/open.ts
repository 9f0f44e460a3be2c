// Pictures that are put on the canvas are converted to bits here.
import { bitsOf, greyOf, type Bits } from "./bits.ts";

const browserPicture = /\.(png|jpe?g|gif|webp|bmp|avif|svg)$/i;

/** Whether a file is a picture that the browser reads; TIFF only the server does. */
export function isPicture(file: File): boolean {
  return (file.type.startsWith("image/") && !file.type.includes("tiff")) || browserPicture.test(file.name);
}

/** Converts a picture to bits; the error says why it could not be read. */
export async function picture(file: File, height: number, width: number): Promise<Bits> {
  let image: ImageBitmap;
  try {
    image = await createImageBitmap(file);
  } catch {
    throw new Error(`${file.name} is not an image that can be read. Drop a PNG or JPEG picture, or images as .npz, .npy or .csv.`);
  }
  const scale = Math.min(1, 1024 / Math.max(image.width, image.height));
  const w = Math.max(1, Math.round(image.width * scale)), h = Math.max(1, Math.round(image.height * scale));
  const g = new OffscreenCanvas(w, h).getContext("2d") as OffscreenCanvasRenderingContext2D;
  g.drawImage(image, 0, 0, w, h);
  image.close();
  return bitsOf(greyOf(g.getImageData(0, 0, w, h).data, h, w), height, width);
}
