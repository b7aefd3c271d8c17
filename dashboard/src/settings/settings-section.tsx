import { useParams } from '@tanstack/react-router';

export function SettingsSection() {
  const { section } = useParams({ from: '/shell/settings/$section' });
  return <p className="p-4">{section}</p>;
}
