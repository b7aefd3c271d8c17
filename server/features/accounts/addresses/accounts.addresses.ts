/** From which addresses administrators and tokens may call. Lists are read with the caller, never on their own. */
import {
  type AddressRange,
  isAddressIn,
  isRangeIn,
  parseRange,
  rangeText,
} from '../../../platform/http/client-address.ts';
import { AppError, badRequest, conflict } from '../../../platform/http/errors.ts';

/** An address must be in each of them. */
export type AddressLists = readonly (readonly AddressRange[])[];

/** Stored lists; an empty one restricts nothing. Undefined: no restriction at all. */
export function addressLists(...stored: (readonly string[])[]): AddressLists | undefined {
  const lists = stored.filter((list) => list.length > 0).map((list) => list.map(parseRange));
  return lists.length > 0 ? lists : undefined;
}

/** A 400 that names the entry, unless all are addresses or ranges. Ranges are written in one form. */
export function readAddressList(list: readonly string[], field: string): string[] {
  const ranges = list.map((entry) => {
    try {
      return rangeText(parseRange(entry.trim()));
    } catch {
      throw badRequest(
        `${field} must be addresses and ranges such as 203.0.113.7, 10.0.0.0/8 or 2001:db8::/32, not "${entry.slice(0, 60)}"`,
      );
    }
  });
  return [...new Set(ranges)];
}

export function checkAddress(lists: AddressLists, address: string): void {
  if (lists.every((list) => isAddressIn(address, list))) return;
  throw new AppError(
    403,
    'ADDRESS_NOT_ALLOWED',
    `requests from ${address} are not allowed: the address is not in the list of allowed addresses`,
  );
}

interface SignInUser {
  role: string;
  isInstanceAdmin: boolean;
  adminAddresses: string[];
}

/** The lists that hold for a signed-in user. */
export function listsOfUser(
  { role, isInstanceAdmin, adminAddresses }: SignInUser,
  instanceAddresses: readonly AddressRange[],
): AddressLists | undefined {
  const ofAccount = role === 'admin' ? (addressLists(adminAddresses) ?? []) : [];
  const ofInstance = isInstanceAdmin && instanceAddresses.length > 0 ? [instanceAddresses] : [];
  const lists = [...ofAccount, ...ofInstance];
  return lists.length > 0 ? lists : undefined;
}

/** After the password: who does not know it learns nothing about the lists. */
export function checkSignInAddress(
  { config }: { config: { instanceAdminAddresses: readonly AddressRange[] } },
  user: SignInUser,
  address: string,
): void {
  const lists = listsOfUser(user, config.instanceAdminAddresses);
  if (lists) checkAddress(lists, address);
}

/** A 409 if the caller's own address is not in the list, unless they said that they know. */
export function checkLockout(
  list: readonly string[],
  address: string | undefined,
  { field, confirmed }: { field: string; confirmed: boolean },
): void {
  if (confirmed || list.length === 0 || address === undefined) return;
  if (isAddressIn(address, list.map(parseRange))) return;
  throw conflict(
    `${field} does not contain your address ${address}: you would lock yourself out. Send confirmLockout: true to save it anyway`,
    { yourAddress: address },
  );
}

/** Whether a list allows nothing that the other one does not. */
export function isListWithin(inner: readonly string[], outer: readonly AddressRange[]): boolean {
  return inner.length > 0 && inner.every((entry) => isRangeIn(parseRange(entry), outer));
}
