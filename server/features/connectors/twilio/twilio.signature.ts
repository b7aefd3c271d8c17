/** The signature of Twilio's requests: HMAC-SHA1 over the whole address and the sorted form. */
import { createHmac, timingSafeEqual } from 'node:crypto';

export function isSigned(authToken: string, url: string, form: URLSearchParams, given: string): boolean {
  const fields = sortedFields(form);
  const found = Buffer.from(given);
  return addressesOf(url)
    .map((address) =>
      Buffer.from(
        createHmac('sha1', authToken)
          .update(address + fields)
          .digest('base64'),
      ),
    )
    .some((expected) => expected.length === found.length && timingSafeEqual(expected, found));
}

/** A repeated value of one name counts once, as in Twilio's own library. */
function sortedFields(form: URLSearchParams): string {
  const names = [...new Set(form.keys())].sort();
  return names
    .flatMap((name) => [...new Set(form.getAll(name))].sort().map((value) => name + value))
    .join('');
}

/** Twilio may sign the address with its port where we write it without, and the other way round. */
function addressesOf(url: string): string[] {
  const [, scheme = '', host = '', port = '', rest = ''] =
    /^(https?):\/\/((?:\[[^\]]*\]|[^/?#:])+)(:\d+)?(.*)$/is.exec(url) ?? [];
  if (host === '') return [url];
  const usual = scheme.toLowerCase() === 'https' ? ':443' : ':80';
  return [`${scheme}://${host}${rest}`, `${scheme}://${host}${port || usual}${rest}`];
}
