import { Button } from "../../parts/Button.tsx"
import look from "../../parts/parts.module.css"
import { data } from "../../texts/en.ts"

export const UploadButton = ({ onPress }: { readonly onPress: () => void }) => (
  <Button className={look.primary!} onPress={onPress}>
    {data.upload}
  </Button>
)
