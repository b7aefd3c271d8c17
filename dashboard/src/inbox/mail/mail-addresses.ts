/** Addresses as people write them into one field: separated by commas, semicolons, spaces or lines, with or without names. */
import { limits } from '../../../../contract/limits.ts';
import { isMailAddress } from '../../../../contract/messaging/mail.ts';

export interface WrittenAddresses {
  addresses: string[];
  /** What is not an address, as written. */
  wrong: string[];
  isTooMany: boolean;
}

export function readAddresses(text: string): WrittenAddresses {
  // `Ana <ana@example.com>`: the name is not needed.
  const bare = text.replace(/"[^"]*"/g, '').replace(/[^,;<>\n@]*<([^<>]*)>/g, ' $1 ');
  const written = [...new Set(bare.split(/[\s,;]+/).filter((one) => one !== ''))];
  const addresses = [...new Set(written.filter(isMailAddress).map((one) => one.toLowerCase()))];
  return {
    addresses,
    wrong: written.filter((one) => !isMailAddress(one)),
    isTooMany: addresses.length > limits.mailRecipients,
  };
}
