/** The log of Nagios, fields by the Elastic Common Schema. The legacy bank describes its entries. */

import { nagios } from "../legacy/nagios.ts"

export const patterns: Readonly<Record<string, string>> = nagios({
  time: "%{NUMBER:timestamp}",
  type: "[nagios][log][type]",
  command: "[nagios][log][command]",
  host: "%{DATA:[host][hostname]}",
  service: "%{DATA:[service][name]}",
  state: "%{DATA:[service][state]}",
  stateType: "%{DATA:[nagios][log][state_type]}",
  stateAttempt: "%{INT:[nagios][log][attempt]:int}",
  level: "%{DATA:[nagios][log][state_type]}",
  attempt: "%{INT:[nagios][log][attempt]:int}",
  message: "%{GREEDYDATA:message}",
  comment: "%{GREEDYDATA:[nagios][log][comment]}",
  contact: "%{DATA:[user][name]}",
  notificationCommand: "%{DATA:[nagios][log][notification_command]}",
  eventHandler: "%{DATA:[nagios][log][event_handler_name]}",
  period: ["%{NUMBER:[nagios][log][period_from]:int}", "%{NUMBER:[nagios][log][period_to]:int}"],
  checkResult: "%{GREEDYDATA:[nagios][log][check_result]}",
  downtime: [
    "%{NUMBER:[nagios][log][start_time]}",
    "%{NUMBER:[nagios][log][end_time]}",
    "%{NUMBER:[nagios][log][fixed]}",
    "%{NUMBER:[nagios][log][trigger_id]}",
    "%{NUMBER:[nagios][log][duration]:int}"
  ],
  author: "%{DATA:[user][name]}",
  downtimeComment: "%{DATA:[nagios][log][comment]}"
})
