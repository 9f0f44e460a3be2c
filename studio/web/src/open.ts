// Opened files: pictures are converted to bits here, data sets and models go to the server.
import { bitsOf, greyOf, type Bits } from "./bits.ts";
import { words, type Data, type Model } from "./api.ts";
import { api } from "./store.ts";

export type Opened = { kind: "picture"; bits: Bits } | { kind: "data"; data: Data } | { kind: "model"; model: Model };

const browserPicture = /\.(png|jpe?g|gif|webp|bmp|avif|svg)$/i;

/** Opens a file of any supported kind; the error says why it could not be read. */
export async function open(file: File, height: number, width: number): Promise<Opened> {
  if (file.type.startsWith("image/") && !/pbm|pgm|portable/.test(file.type) || browserPicture.test(file.name)) {
    return { kind: "picture", bits: await picture(file, height, width) };
  }
  let notData: unknown;
  try {
    return { kind: "data", data: await api.addData(file) };
  } catch (error) {
    notData = error;
  }
  if (/\.npz$/i.test(file.name)) {
    try {
      return { kind: "model", model: await api.addModel(file) };
    } catch {
      // Neither: the error for data is the more useful message.
    }
  }
  throw new Error(`${file.name} was not read: ${words(notData)}`);
}

async function picture(file: File, height: number, width: number): Promise<Bits> {
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
