/** Fills in the servers of a large provider, and says what it asks for. */
import { t } from '../../../../texts/texts.ts';
import { Segmented } from '../../../../ui/controls/segmented.tsx';
import type { FieldValues } from '../connector-field.ts';
import { type MailPreset, mailPresets, presetOf } from './mail-connector.ts';

interface MailPresetsProps {
  values: FieldValues;
  onChange(values: FieldValues): void;
}

const empty: FieldValues = { 'imap.host': '', 'imap.port': '', 'smtp.host': '', 'smtp.port': '' };

export function MailPresets({ values, onChange }: MailPresetsProps) {
  const chosen = presetOf(values) ?? 'ownServer';
  const choose = (name: MailPreset | 'ownServer') =>
    onChange({ ...values, ...(name === 'ownServer' ? empty : mailPresets[name]) });
  return (
    <div className="flex flex-col items-start gap-1.5">
      <span aria-hidden className="font-medium">
        {t('connectors.mail.provider')}
      </span>
      <Segmented
        label={t('connectors.mail.provider')}
        value={chosen}
        onChange={choose}
        segments={[
          { value: 'gmail', label: 'Gmail' },
          { value: 'outlook', label: 'Outlook' },
          { value: 'fastmail', label: 'Fastmail' },
          { value: 'ownServer', label: t('connectors.mail.ownServer') },
        ]}
      />
      <p className="text-sm text-pretty text-muted">{t(`connectors.mail.hint.${chosen}`)}</p>
    </div>
  );
}
