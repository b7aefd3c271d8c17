import { t } from '../../texts/texts.ts';

export const roleOptions = () => [
  { value: 'operator' as const, label: t('users.operator') },
  { value: 'admin' as const, label: t('users.admin') },
];
