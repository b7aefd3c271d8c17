import { Download } from 'lucide-react';
import { useState } from 'react';
import type { Factors } from '../../../contract/sign-in/second-factors.ts';
import { api } from '../data/api.ts';
import { save } from '../data/transfer.ts';
import { Part } from '../settings/parts/section.tsx';
import { t, tn } from '../texts/texts.ts';
import { Button } from '../ui/controls/button.tsx';
import { CopyButton } from '../ui/controls/copy-field.tsx';
import { Dialog } from '../ui/overlays/dialog.tsx';
import { ConfirmPerson } from './confirm-person.tsx';
import { reloadFactors } from './factor-data.ts';

export function RecoveryCodes({ factors }: { factors: Factors }) {
  const [asking, setAsking] = useState(false);
  const [codes, setCodes] = useState<string[] | null>(null);
  const renew = async (body: object) => {
    const answer = await api<{ recoveryCodes: string[] }>('POST', '/auth/factors/recovery-codes', { body });
    setCodes(answer.recoveryCodes);
    await reloadFactors();
  };
  return (
    <Part title={t('security.codes')} text={tn('security.codesLeft', factors.recoveryCodesLeft)}>
      <Button className="self-start" onClick={() => setAsking(true)}>
        {t('security.renewCodes')}
      </Button>
      {asking && (
        <ConfirmPerson
          factors={factors}
          title={t('security.renewCodes')}
          text={t('security.renewCodesText')}
          action={t('security.renewCodes')}
          onConfirm={renew}
          onClose={() => setAsking(false)}
        />
      )}
      {codes && <NewCodes codes={codes} onClose={() => setCodes(null)} />}
    </Part>
  );
}

/** They are shown only once. */
export function NewCodes({ codes, onClose }: { codes: readonly string[]; onClose(): void }) {
  return (
    <Dialog
      open
      once
      onOpenChange={onClose}
      title={t('security.newCodes')}
      description={t('security.newCodesText')}
      footer={
        <>
          <Button icon={<Download className="size-3.5" />} onClick={() => download(codes)}>
            {t('security.downloadCodes')}
          </Button>
          <Button tone="primary" onClick={onClose}>
            {t('security.kept')}
          </Button>
        </>
      }
    >
      <div className="flex items-start justify-between gap-2 rounded-control border border-line bg-sunken p-3">
        <ul
          aria-label={t('security.newCodes')}
          className="grid flex-1 gap-x-6 gap-y-1 font-mono text-sm whitespace-nowrap sm:grid-cols-2"
        >
          {codes.map((code) => (
            <li key={code} className="select-all">
              {code}
            </li>
          ))}
        </ul>
        <CopyButton value={codes.join('\n')} label={t('security.copyCodes')} />
      </div>
    </Dialog>
  );
}

function download(codes: readonly string[]): void {
  const text = `Talkboard · ${location.host}\n\n${codes.join('\n')}\n`;
  save(new Blob([text], { type: 'text/plain;charset=utf-8' }), 'talkboard-recovery-codes.txt');
}
