import { webhookEvents } from '../../contract/events.ts';
import {
  type Command,
  CommandError,
  readOptions,
  requireOption,
  type Terminal,
  UsageError,
} from '../command.ts';
import { forward, lineOf } from './listen.forward.ts';
import { receive } from './listen.receiver.ts';
import { subscribe } from './listen.service.ts';
import { readSecret, sign } from './listen.signature.ts';

export const listen: Command = {
  usage:
    '--url <service> --token <token> --forward <url> [--events a,b] | --port <n> --secret <whsec_…> [--forward <url>]',
  help: `Fetches a service's events and forwards them, signed, to a receiver on this machine. The service does not have to
reach this machine: a temporary webhook holds its events while the command runs.
  --url <service>    address of the service, such as https://talkboard.example.com
  --token <token>    an API token with the scope manage
  --forward <url>    where to forward them, such as http://127.0.0.1:8080/hooks
  --events <a,b>     ${webhookEvents.join(', ')}; default: all
  --body             also print the bodies

Or acts as the receiver of a webhook: verifies and prints what arrives.
  --port <n>         where to listen on 127.0.0.1; 0 takes a free port
  --secret <secret>  the secret of the webhook
  --forward <url>    where to forward verified events; its response is returned

Stop it with Ctrl-C.`,

  async run(args, terminal) {
    const options = readOptions(args, {
      url: { type: 'string' },
      token: { type: 'string' },
      events: { type: 'string' },
      forward: { type: 'string' },
      port: { type: 'string' },
      secret: { type: 'string' },
      body: { type: 'boolean', default: false },
    });
    const forwardTo = options.forward === undefined ? null : readUrl(options.forward, 'forward');
    if (options.port !== undefined) {
      for (const name of ['url', 'token', 'events'] as const) {
        if (options[name] !== undefined) throw new UsageError(`--${name} cannot be combined with --port`);
      }
      const key = readSecret(requireOption(options.secret, 'secret'));
      if (!key) throw new UsageError('--secret must be the whsec_… that the webhook was created with');
      return runReceiver(terminal, { key, port: readPort(options.port), forwardTo });
    }
    if (options.secret !== undefined) throw new UsageError('--secret requires --port');
    const base = readUrl(requireOption(options.url, 'url'), 'url').replace(/\/+$/, '');
    const token = requireOption(options.token, 'token');
    if (!forwardTo) throw new UsageError('--forward is required');
    const events = readEvents(options.events);
    return runForwarding(terminal, { base, token, events, forwardTo, showBody: options.body });
  },
};

async function runForwarding(
  { print, say }: Terminal,
  input: { base: string; token: string; events: readonly string[]; forwardTo: string; showBody: boolean },
): Promise<number> {
  const { base, token, events, forwardTo, showBody } = input;
  const ended = untilInterrupted();
  const subscription = await subscribe(base, token, events, say);
  const key = readSecret(subscription.secret)!;
  say(`Listening to ${base} for ${events.join(', ')}.`);
  say(`Forwarding to ${forwardTo}, signed with ${subscription.secret}`);
  try {
    await subscription.follow(async (event) => {
      const { told } = await forward(forwardTo, sign(key, event.id, event.text, Date.now()), event.text);
      print(lineOf(event, told));
      if (showBody) print(JSON.stringify(JSON.parse(event.text), null, 2));
    }, ended);
  } finally {
    await subscription.end().catch((error: Error) => {
      throw new CommandError(`the webhook ${subscription.id} was not removed: ${error.message}`);
    });
  }
  say('Stopped; the webhook is removed.');
  return 0;
}

async function runReceiver(
  { print, say }: Terminal,
  receiving: { key: Buffer; port: number; forwardTo: string | null },
): Promise<number> {
  const ended = untilInterrupted();
  const receiver = await receive({ ...receiving, print });
  say(`Listening on ${receiver.url}`);
  await new Promise((resolve) => ended.addEventListener('abort', resolve, { once: true }));
  await receiver.close();
  return 0;
}

/** Does not exit at once, as other commands do: the webhook must be removed first. A second Ctrl-C exits. */
function untilInterrupted(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.removeAllListeners(signal);
    process.on(signal, () => {
      if (controller.signal.aborted) process.exit(130);
      controller.abort();
    });
  }
  return controller.signal;
}

function readUrl(text: string, name: string): string {
  const url = URL.parse(text);
  if (!url || !['http:', 'https:'].includes(url.protocol))
    throw new UsageError(`--${name} must be an http or https address, not "${text}"`);
  return text;
}

function readPort(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535) throw new UsageError(`--port must be 0 to 65535, not "${text}"`);
  return port;
}

function readEvents(text: string | undefined): readonly string[] {
  if (text === undefined) return webhookEvents;
  const events = text.split(',').map((event) => event.trim());
  const unknown = events.find((event) => !webhookEvents.some((known) => known === event));
  if (unknown !== undefined)
    throw new UsageError(`--events contains "${unknown}"; valid events: ${webhookEvents.join(', ')}`);
  return [...new Set(events)];
}
