/**
 * A mailbox on the loopback that speaks as much of IMAP as the connector needs, and misbehaves on request. It accepts one
 * user and tells of new mail while a client idles.
 */
import { createServer, type Socket } from 'node:net';
import { createServer as createTlsServer, TLSSocket } from 'node:tls';
import { tlsCertificate, tlsKey } from '../tls-certificate.ts';

export interface ImapServer {
  port: number;
  /** The password that is accepted; others are rejected. */
  password: string;
  /** How many connections have signed in, and how many commands came. */
  logins: number;
  /** Ends every connection in the middle of the next FETCH. */
  dropsFetch: boolean;
  /** Without IDLE in its capabilities, for those that connect from now on. */
  hasIdle: boolean;
  /** What it says that every mail has; null: the truth. */
  reportedSize: number | null;
  /** Returns its UID and notifies idle clients. */
  deliver(raw: string | Buffer, at?: number): number;
  /** New UIDs for all mails, as after a restored backup; every connection ends. */
  renumber(): void;
  dropConnections(): void;
  /** Resolves when a client waits for news. */
  idling(): Promise<void>;
  close(): Promise<void>;
}

interface Mail {
  uid: number;
  raw: Buffer;
  at: number;
}

interface Client {
  socket: Socket;
  /** Offered, and not begun yet. */
  hasStartTls: boolean;
  idleTag: string | null;
  /** How many mails it knows of. */
  told: number;
  authTag: string | null;
}

/** With encryption as `tls` says; the certificate is that of tls-certificate.ts. */
export async function startImapServer({
  tls = 'none',
}: {
  tls?: 'none' | 'starttls' | 'implicit';
} = {}): Promise<ImapServer> {
  const user = 'shop';
  const certificate = { key: tlsKey, cert: tlsCertificate };
  const clients = new Set<Client>();
  const idleWaiters: (() => void)[] = [];
  let mails: Mail[] = [];
  let nextUid = 5;
  let validity = 1_000;

  const accept = (socket: Socket) => {
    const hasStartTls = tls === 'starttls';
    const client: Client = { socket, hasStartTls, idleTag: null, told: 0, authTag: null };
    clients.add(client);
    listen(client);
    socket.on('close', () => clients.delete(client));
    socket.write('* OK ready\r\n');
  };
  const tcp = tls === 'implicit' ? createTlsServer(certificate, accept) : createServer(accept);

  function listen(client: Client): void {
    const { socket } = client;
    let rest = '';
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      rest += chunk.toString('latin1');
      for (;;) {
        const end = rest.indexOf('\r\n');
        if (end === -1) return;
        const line = rest.slice(0, end);
        rest = rest.slice(end + 2);
        answer(client, line);
      }
    });
  }

  function answer(client: Client, line: string): unknown {
    const { socket } = client;
    const say = (text: string) => socket.write(`${text}\r\n`);
    if (client.idleTag !== null) {
      if (/^DONE$/i.test(line)) say(`${client.idleTag} OK done`);
      client.idleTag = null;
      return;
    }
    if (client.authTag !== null) {
      const tag = client.authTag;
      client.authTag = null;
      return signIn(say, tag, isPlainLogin(line));
    }
    const [, tag = '*', command = '', rest = ''] = /^(\S+) (\S+)(?: (.*))?$/.exec(line) ?? [];
    switch (command.toUpperCase()) {
      case 'CAPABILITY':
        say(
          `* CAPABILITY IMAP4rev1 AUTH=PLAIN SASL-IR${server.hasIdle ? ' IDLE' : ''}${client.hasStartTls ? ' STARTTLS' : ''}`,
        );
        return void say(`${tag} OK`);
      case 'STARTTLS':
        say(`${tag} OK begin`);
        socket.removeAllListeners('data');
        client.hasStartTls = false;
        client.socket = new TLSSocket(socket, { isServer: true, ...certificate });
        return listen(client);
      case 'LOGIN':
        return signIn(say, tag, rest.includes(user) && rest.includes(server.password));
      case 'AUTHENTICATE': {
        const [, initial] = rest.split(' ');
        if (initial !== undefined) return signIn(say, tag, isPlainLogin(initial));
        client.authTag = tag;
        return void say('+ ');
      }
      case 'LIST':
        say('* LIST (\\HasNoChildren) "/" "INBOX"');
        return void say(`${tag} OK`);
      case 'SELECT':
      case 'EXAMINE':
        say('* FLAGS (\\Seen)');
        tell(client);
        say(`* OK [UIDVALIDITY ${validity}] valid`);
        say(`* OK [UIDNEXT ${nextUid}] next`);
        return void say(`${tag} OK [READ-ONLY] selected`);
      case 'UID':
        return uidCommand(client, tag, rest);
      case 'IDLE':
        client.idleTag = tag;
        say('+ idling');
        // What arrived since the client was last told.
        if (client.told !== mails.length) tell(client);
        for (const resolve of idleWaiters.splice(0)) resolve();
        return;
      case 'LOGOUT':
        say('* BYE bye');
        say(`${tag} OK`);
        return void socket.end();
      default:
        return void say(`${tag} ${command.toUpperCase() === 'NOOP' ? 'OK' : 'BAD unknown'}`);
    }
  }

  function tell(client: Client): void {
    client.told = mails.length;
    client.socket.write(`* ${mails.length} EXISTS\r\n`);
  }

  const isPlainLogin = (text: string) =>
    Buffer.from(text, 'base64').toString() === `\0${user}\0${server.password}`;

  function signIn(say: (text: string) => void, tag: string, isRight: boolean): void {
    if (isRight) server.logins++;
    say(isRight ? `${tag} OK signed in` : `${tag} NO [AUTHENTICATIONFAILED] Invalid credentials`);
  }

  function uidCommand({ socket }: Client, tag: string, rest: string): unknown {
    const say = (text: string) => socket.write(`${text}\r\n`);
    if (/^SEARCH/i.test(rest)) {
      const from = Number(/UID (\d+):\*/i.exec(rest)?.[1] ?? 1);
      const since = Date.parse(`${/SINCE "?([0-9A-Za-z-]+)"?/i.exec(rest)?.[1] ?? '1-Jan-1970'} UTC`);
      const found = mails.filter(({ uid, at }) => uid >= from && at >= since);
      // A range that ends with * has the last one in any case.
      const last = mails.at(-1);
      if (found.length === 0 && last && last.at >= since) found.push(last);
      say(`* SEARCH ${found.map(({ uid }) => uid).join(' ')}`.trimEnd());
      return void say(`${tag} OK`);
    }
    const wanted = Number(/^FETCH (\d+)/i.exec(rest)?.[1]);
    const place = mails.findIndex(({ uid }) => uid === wanted);
    const mail = mails[place];
    if (!mail) return void say(`${tag} OK`);
    const date = `"${new Date(mail.at).toUTCString().replace(/^\w+, (\d+) (\w+) (\d+) ([\d:]+) GMT$/, '$1-$2-$3 $4 +0000')}"`;
    const items = `UID ${mail.uid} RFC822.SIZE ${server.reportedSize ?? mail.raw.length} INTERNALDATE ${date}`;
    const body = /BODY\.PEEK\[\](?:<0\.(\d+)>)?/i.exec(rest);
    if (!body) {
      say(`* ${place + 1} FETCH (${items})`);
    } else {
      const [, length] = body;
      const bytes = length === undefined ? mail.raw : mail.raw.subarray(0, Number(length));
      const name = length === undefined ? 'BODY[]' : 'BODY[]<0>';
      socket.write(`* ${place + 1} FETCH (${items} ${name} {${bytes.length}}\r\n`);
      if (server.dropsFetch) {
        server.dropsFetch = false;
        return void server.dropConnections();
      }
      socket.write(bytes);
      say(')');
    }
    say(`${tag} OK`);
  }

  await new Promise<void>((resolve) => tcp.listen(0, '127.0.0.1', resolve));
  const server: ImapServer = {
    port: (tcp.address() as { port: number }).port,
    password: 'imap-password',
    logins: 0,
    dropsFetch: false,
    hasIdle: true,
    reportedSize: null,
    deliver(raw, at = Date.now()) {
      const bytes = typeof raw === 'string' ? Buffer.from(raw.replaceAll(/\r?\n/g, '\r\n')) : raw;
      mails.push({ uid: nextUid, raw: bytes, at });
      for (const client of clients) {
        if (client.idleTag !== null) tell(client);
      }
      return nextUid++;
    },
    renumber() {
      validity++;
      nextUid = 1;
      mails = mails.map((mail) => ({ ...mail, uid: nextUid++ }));
      server.dropConnections();
    },
    dropConnections() {
      for (const { socket } of clients) socket.destroy();
    },
    idling: () => new Promise((resolve) => idleWaiters.push(resolve)),
    async close() {
      server.dropConnections();
      await new Promise<void>((resolve) => tcp.close(() => resolve()));
    },
  };
  return server;
}
