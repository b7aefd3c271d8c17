export function BoardSettingsPage() {
  return null;
}
