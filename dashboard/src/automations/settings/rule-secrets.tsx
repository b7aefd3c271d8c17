/** The address of a hook and the secret of calls: shown once, and replaced. */
import { RotateCw } from 'lucide-react';
import type { Automation } from '../../../../contract/automation/automations.ts';
import { api } from '../../data/api.ts';
import { ConfirmButton } from '../../settings/parts/confirm-button.tsx';
import { SecretDialog } from '../../settings/parts/secret-dialog.tsx';
import { Part } from '../../settings/parts/section.tsx';
import { t } from '../../texts/texts.ts';
import { everyStep, readRule } from '../rule-draft.ts';

export interface ShownSecrets {
  hookToken: string | null;
  secret: string | null;
  /** The rule that was created, to be opened afterwards. */
  created?: string;
}

const hookAddress = (token: string) => `${location.origin}/automations/hooks/${token}`;

/** One after the other. */
export function ShowSecrets({
  hookToken,
  secret,
  onClose,
  onNext,
}: ShownSecrets & { onClose(): void; onNext?(): void }) {
  if (hookToken) {
    return (
      <SecretDialog
        title={t('automation.hookTitle')}
        text={t('automation.hookText')}
        secret={hookAddress(hookToken)}
        label={t('automation.copyHook')}
        onClose={secret && onNext ? onNext : onClose}
      />
    );
  }
  if (!secret) return null;
  return (
    <SecretDialog
      title={t('automation.secretTitle')}
      text={t('automation.secretText')}
      secret={secret}
      label={t('automation.copySecret')}
      onClose={onClose}
    />
  );
}

export function RuleSecrets({ rule, onShow }: { rule: Automation; onShow(secrets: ShownSecrets): void }) {
  const { id, trigger } = rule;
  const hasCalls = everyStep(readRule(rule).steps).some(({ step }) => step.type === 'call' && step.url);
  if (trigger.on !== 'hook' && !hasCalls) return null;
  return (
    <Part title={t('automation.secrets')}>
      {trigger.on === 'hook' && (
        <SecretRow title={t('automation.hookAddress')} text={t('automation.hookAddressText')}>
          <ConfirmButton
            icon={<RotateCw className="size-3.5" />}
            action={t('automation.rotateHook')}
            title={t('automation.rotateHookTitle')}
            text={t('automation.rotateHookText')}
            failed={t('settings.rotateFailed')}
            onConfirm={async () => {
              const { hookToken } = await api<{ hookToken: string }>(
                'POST',
                `/automations/${id}/rotate-hook`,
              );
              onShow({ hookToken, secret: null });
            }}
          />
        </SecretRow>
      )}
      {hasCalls && (
        <SecretRow title={t('settings.secret')} text={t('automation.secretNote')}>
          <ConfirmButton
            icon={<RotateCw className="size-3.5" />}
            action={t('settings.rotate')}
            title={t('settings.rotateTitle')}
            text={t('automation.rotateSecretText')}
            failed={t('settings.rotateFailed')}
            onConfirm={async () => {
              const { secret } = await api<{ secret: string }>('POST', `/automations/${id}/rotate-secret`);
              onShow({ hookToken: null, secret });
            }}
          />
        </SecretRow>
      )}
    </Part>
  );
}

function SecretRow({ title, text, children }: { title: string; text: string; children: React.ReactNode }) {
  return (
    <div className="flex items-center justify-between gap-4 max-sm:flex-col max-sm:items-start">
      <div className="min-w-0">
        <h4 className="font-medium">{title}</h4>
        <p className="text-pretty text-muted">{text}</p>
      </div>
      {children}
    </div>
  );
}
