import { usePath } from "../../app/location.ts"
import { useTenant } from "../../app/tenant.ts"
import { Frame, NoPage } from "../../parts/Frame.tsx"
import { channels } from "../../texts/en.ts"
import { Channel } from "./Channel.tsx"
import { ChannelList } from "./ChannelList.tsx"

/** `channels`: the list. `channels/<name>`: a channel with its jobs and files. */
const ChannelsPage = () => {
  const tenant = useTenant()
  const [, name, more] = usePath()
  if (more !== undefined) {
    return (
      <Frame title={channels.title}>
        <NoPage />
      </Frame>
    )
  }
  return name === undefined ? (
    <ChannelList key={tenant} tenant={tenant} />
  ) : (
    <Channel key={`${tenant}/${name}`} tenant={tenant} name={name} />
  )
}

export default ChannelsPage
