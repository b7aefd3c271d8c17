/** Creates the instance and links the phone. */
import { type Connected, type Link, ProviderError, type Scan } from '../connectors.provider.ts';
import { objectOf, textOf, type Values } from '../connectors.values.ts';
import { callGateway, callInstance, errorOf, instanceOf } from './evolution.calls.ts';

/** Our secret comes back in this header of every webhook. */
export const secretHeader = 'x-connector-secret';

const events = [
  'MESSAGES_UPSERT',
  'MESSAGES_UPDATE',
  'MESSAGES_EDITED',
  'MESSAGES_DELETE',
  'CONNECTION_UPDATE',
  'QRCODE_UPDATED',
];

const webhookOf = (link: Link) => ({
  enabled: true,
  url: link.inboundUrl,
  base64: true,
  headers: { [secretHeader]: link.secret },
  events,
});

/** A data URL of a picture, whatever the gateway says it is. */
export function scanOf(qrcode: Values): Scan {
  const picture = textOf(qrcode.base64);
  const isPicture = picture !== null && /^data:image\/(png|jpeg|webp);base64,[A-Za-z0-9+/=]+$/.test(picture);
  const isBare = picture !== null && /^[A-Za-z0-9+/=]+$/.test(picture);
  return {
    qr: isPicture ? picture : isBare ? `data:image/png;base64,${picture}` : null,
    pairingCode: textOf(qrcode.pairingCode),
  };
}

const hasCode = (scan: Scan) => scan.qr !== null || scan.pairingCode !== null;

/** Creates the instance, or takes over the one that has its name. */
export async function connectInstance(link: Link): Promise<Connected> {
  const created = await callGateway(link, {
    method: 'POST',
    path: '/instance/create',
    json: {
      instanceName: instanceOf(link),
      integration: 'WHATSAPP-BAILEYS',
      qrcode: true,
      webhook: webhookOf(link),
    },
  });
  if (created.status < 300) {
    const scan = scanOf(objectOf(objectOf(created.json).qrcode));
    return hasCode(scan) ? { state: 'waiting_for_scan', scan } : linkPhone(link);
  }
  // A name that is taken. A key that may not create instances gets the same status and may still use this one.
  if (created.status !== 403) throw errorOf(link, created);
  await callInstance(link, { method: 'POST', path: '/webhook/set', json: { webhook: webhookOf(link) } });
  return (await stateOf(link)) === 'open' ? { state: 'connected' } : linkPhone(link);
}

async function linkPhone(link: Link): Promise<Connected> {
  const { isOpen, scan } = await askForCode(link);
  if (isOpen) return { state: 'connected' };
  return { state: 'waiting_for_scan', scan };
}

async function askForCode(link: Link): Promise<{ isOpen: boolean; scan: Scan }> {
  const { json } = await callInstance(link, { method: 'GET', path: '/instance/connect' });
  const body = objectOf(json);
  const isOpen = objectOf(body.instance).state === 'open';
  return { isOpen, scan: scanOf(body.qrcode === undefined ? body : objectOf(body.qrcode)) };
}

/** The gateway starts a new code when the last one has expired. */
export async function readCode(link: Link): Promise<Scan> {
  const { isOpen, scan } = await askForCode(link);
  return isOpen ? { ...scan, isLinked: true } : scan;
}

async function stateOf(link: Link): Promise<string | null> {
  const { json } = await callInstance(link, { method: 'GET', path: '/instance/connectionState' });
  const body = objectOf(json);
  return textOf(objectOf(body.instance).state) ?? textOf(body.state);
}

export async function checkInstance(link: Link): Promise<{ detail: string }> {
  const state = await stateOf(link);
  const name = instanceOf(link);
  if (state === 'open') return { detail: `Instance "${name}" is linked to a phone.` };
  if (state === 'connecting' || state === 'close') {
    return { detail: `The gateway is reachable. Instance "${name}" waits for a phone: scan the QR code.` };
  }
  throw new ProviderError('final', `The gateway reports no state of instance "${name}".`);
}
