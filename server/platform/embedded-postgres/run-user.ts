// PostgreSQL refuses to run as root, so a service started by root runs it as another user.
import { readFile, stat } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { dirname } from 'node:path';
import { StartError } from '../start/start-error.ts';

export interface RunUser {
  name: string;
  uid: number;
  gid: number;
  /** The service is root and starts the server as this other user. */
  switched: boolean;
}

/** `talkboard` comes first, so that an administrator can provide a dedicated account by creating it. */
const PREFERRED_USERS = ['talkboard', 'postgres', 'nobody'];

export async function chooseRunUser(clusterDir: string): Promise<RunUser> {
  const owner = await stat(clusterDir).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  return process.getuid?.() === 0 ? lendIdentity(clusterDir, owner) : ownIdentity(clusterDir, owner);
}

function ownIdentity(clusterDir: string, owner: { uid: number } | null): RunUser {
  const uid = process.getuid?.() ?? -1;
  const gid = process.getgid?.() ?? -1;
  if (owner && owner.uid !== uid) {
    throw new StartError(
      `The database in ${clusterDir} belongs to user id ${owner.uid}, but the service runs as user id ${uid}. ` +
        'Start the service as root or as the owner, or change the owner of the directory and all below it.',
    );
  }
  return { name: accountName(), uid, gid, switched: false };
}

async function lendIdentity(
  clusterDir: string,
  owner: { uid: number; gid: number } | null,
): Promise<RunUser> {
  const accounts = await listAccounts();
  if (owner) {
    // An existing cluster keeps its owner: another user could not read its files.
    if (owner.uid === 0) {
      const suggestion = PREFERRED_USERS.find((name) => accounts.some((account) => account.name === name));
      throw new StartError(
        `The database in ${clusterDir} belongs to root, and PostgreSQL does not run as root. ` +
          `Run: chown -R ${suggestion ?? 'postgres'} '${clusterDir}'`,
      );
    }
    const known = accounts.find((account) => account.uid === owner.uid);
    return { name: known?.name ?? '', uid: owner.uid, gid: known?.gid ?? owner.gid, switched: true };
  }
  for (const name of PREFERRED_USERS) {
    const account = accounts.find((each) => each.name === name && each.uid > 0);
    if (account) return { ...account, switched: true };
  }
  throw new StartError(
    `PostgreSQL does not run as root, and none of the users ${PREFERRED_USERS.join(', ')} exists. ` +
      'Create one (useradd --system talkboard), start the service as another user, or set DATABASE_URL.',
  );
}

async function listAccounts(): Promise<{ name: string; uid: number; gid: number }[]> {
  const passwd = await readFile('/etc/passwd', 'utf8').catch(() => '');
  return passwd.split('\n').flatMap((line) => {
    const [name, , uid, gid] = line.split(':');
    return name && uid && gid ? [{ name, uid: Number(uid), gid: Number(gid) }] : [];
  });
}

/** The name the server will see on the other end of its socket. */
export function accountName(): string {
  try {
    return userInfo().username;
  } catch {
    throw new StartError(
      `User id ${process.getuid?.()} has no name on this machine, and PostgreSQL needs one. ` +
        'Add it to /etc/passwd, start the service as another user, or set DATABASE_URL.',
    );
  }
}

/**
 * Judged by the mode bits, since Node cannot check for another user. Access lists are not seen: at worst files are
 * copied needlessly, or PostgreSQL reports the error.
 */
export async function canReadAndEnter(path: string, user: RunUser): Promise<boolean> {
  const READ_AND_ENTER = 0o5;
  const ENTER = 0o1;
  for (let current = path, wanted = READ_AND_ENTER; ; current = dirname(current), wanted = ENTER) {
    const entry = await stat(current);
    const shift = entry.uid === user.uid ? 6 : entry.gid === user.gid ? 3 : 0;
    if (((entry.mode >> shift) & wanted) !== wanted) return false;
    if (dirname(current) === current) return true;
  }
}
