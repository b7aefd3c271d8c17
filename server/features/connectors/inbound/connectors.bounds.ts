/** Limits of what a message may contain. Longer content is cut and marked as shortened. */
import { limits } from '../../../../contract/limits.ts';

const mark = ' [shortened]';
/** Characters of JSON. A contact card or a poll has a few thousand. */
export const maxPayload = 32_768;

export function boundText(text: string): string {
  if (text.length <= limits.messageLength) return text;
  return `${text.slice(0, limits.messageLength - mark.length)}${mark}`.toWellFormed();
}

/** A payload that is too long becomes the beginning of its JSON. */
export function boundPayload(payload: unknown): unknown {
  const json = JSON.stringify(payload);
  if (json === undefined || json.length <= maxPayload) return payload;
  return { shortened: true, length: json.length, json: json.slice(0, maxPayload).toWellFormed() };
}
