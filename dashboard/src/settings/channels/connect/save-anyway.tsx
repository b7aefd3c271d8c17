import { t } from '../../../texts/texts.ts';
import { Button } from '../../../ui/controls/button.tsx';

/** In a form whose connection was refused. Not a submit button: Enter must not press it. */
export const SaveAnyway = ({ onPress }: { onPress(form: HTMLFormElement | null): void }) => (
  <Button onClick={({ currentTarget }) => onPress(currentTarget.form)}>{t('connectors.saveAnyway')}</Button>
);
