/** Whether this person gets conversations automatically. */
import type { Availability } from '../../../contract/limits.ts';
import { api } from '../data/api.ts';
import { keys } from '../data/queries.ts';
import { refresh } from '../data/refresh.ts';
import { changeUser } from '../data/session.ts';
import { t } from '../texts/texts.ts';
import { toast } from '../ui/overlays/toast.tsx';

export async function chooseAvailability(availability: Availability): Promise<void> {
  changeUser({ availability });
  try {
    await api('PATCH', '/auth/me', { body: { availability } });
    await refresh(keys.users);
  } catch (error) {
    changeUser({ availability: availability === 'away' ? 'available' : 'away' });
    toast.failed(t('availability.failed'), error);
  }
}
