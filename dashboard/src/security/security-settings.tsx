import { Section } from '../settings/parts/section.tsx';
import { t } from '../texts/texts.ts';
import { OwnFactors } from './own-factors.tsx';

export default function SecuritySettings() {
  return (
    <Section title={t('settings.security')} description={t('security.text')}>
      <OwnFactors />
    </Section>
  );
}
