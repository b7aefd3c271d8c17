/** Keys are generated, never derived from names: letters, digits and dashes, separated by slashes. */
const form = /^[0-9a-z-]+(?:\/[0-9a-z-]+)*$/;

export function checkKey(key: string): string {
  if (!form.test(key)) throw new Error('a key of the store must be made of letters, digits and dashes');
  return key;
}
