import type { Static } from 'typebox';
import type { MeAnswer } from '../../../../contract/accounts.ts';
import { undoSendChoices } from '../../../../contract/limits.ts';
import { api } from '../../data/api.ts';
import { changeUser, useSignedIn } from '../../data/session.ts';
import { t } from '../../texts/texts.ts';
import { Segmented } from '../../ui/controls/segmented.tsx';
import { toast } from '../../ui/overlays/toast.tsx';

type Seconds = (typeof undoSendChoices)[number];

/** How long replies of this person wait before they are sent. */
export function UndoSendSetting() {
  const { user } = useSignedIn();
  const choose = async (undoSendSeconds: Seconds) => {
    const before = user.undoSendSeconds;
    changeUser({ undoSendSeconds });
    try {
      await api<Static<typeof MeAnswer>>('PATCH', '/auth/me', { body: { undoSendSeconds } });
    } catch (error) {
      changeUser({ undoSendSeconds: before });
      toast.failed(t('profile.undoSendFailed'), error, () => void choose(undoSendSeconds));
    }
  };
  return (
    <div className="flex flex-col items-start gap-1">
      <span className="font-medium">{t('profile.undoSend')}</span>
      <Segmented<`${Seconds}`>
        label={t('profile.undoSend')}
        value={`${user.undoSendSeconds}`}
        onChange={(next) => void choose(Number(next) as Seconds)}
        segments={undoSendChoices.map((count) => ({
          value: `${count}` as const,
          label: count === 0 ? t('profile.undoSendOff') : t('profile.undoSendSeconds', { count }),
        }))}
      />
      <p className="text-sm text-muted">{t('profile.undoSendText')}</p>
    </div>
  );
}
