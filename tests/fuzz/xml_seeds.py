"""Small model files of every format, from which the fuzz makes its files."""

URDF_SEEDS = [
    b"""<?xml version="1.0"?>
<robot name="arm">
  <material name="grey"><color rgba="0.5 0.5 0.5 1"/></material>
  <link name="base"/>
  <link name="upper">
    <inertial><origin xyz="0 0 0.1" rpy="0.1 0 0"/><mass value="2.5"/>
      <inertia ixx="0.1" ixy="0.01" ixz="0" iyy="0.12" iyz="0" izz="0.05"/></inertial>
    <visual><origin xyz="0 0 0.1"/><geometry><cylinder radius="0.05" length="0.2"/></geometry>
      <material name="grey"/></visual>
    <collision><geometry><mesh filename="package://arm/upper.stl" scale="1 1 1"/></geometry></collision>
  </link>
  <link name="lower"><inertial><mass value="1"/>
    <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial></link>
  <link name="tool"/>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/>
    <origin xyz="0 0 0.3" rpy="0 1.57 0"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="2" effort="50" velocity="3"/><dynamics damping="0.1" friction="0.2"/></joint>
  <joint name="elbow" type="prismatic"><parent link="upper"/><child link="lower"/>
    <axis xyz="1 1 0"/><limit lower="0" upper="1" effort="10" velocity="1"/>
    <mimic joint="shoulder" multiplier="0.5" offset="0.1"/></joint>
  <joint name="flange" type="fixed"><parent link="lower"/><child link="tool"/><origin xyz="0.1 0 0"/></joint>
</robot>
""",
    b"""<robot name="octopus"><link name="head"><inertial><mass value="3"/>
<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
<link name="a"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
<link name="b"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
<link name="c"><collision><geometry><box size="1 2 3"/></geometry></collision></link>
<joint name="a" type="floating"><parent link="head"/><child link="a"/></joint>
<joint name="b" type="planar"><parent link="head"/><child link="b"/><axis xyz="0 0 1"/></joint>
<joint name="c" type="continuous"><parent link="b"/><child link="c"/><axis xyz="0 1 0"/></joint>
<transmission name="t"><type>x</type></transmission><gazebo reference="c"><mu>1</mu></gazebo></robot>
""",
]

MJCF_SEEDS = [
    b"""<mujoco model="walker">
  <compiler angle="radian" autolimits="true"/>
  <option timestep="0.01" gravity="0 0 -9.81"/>
  <default><joint damping="0.1" armature="0.01"/><geom density="1000" rgba="0.8 0.6 0.4 1"/>
    <default class="leg"><geom type="capsule" size="0.05"/></default></default>
  <worldbody><geom name="floor" type="plane" size="0 0 1"/>
    <body name="torso" pos="0 0 1"><freejoint name="root"/><geom type="sphere" size="0.2"/>
      <site name="imu" pos="0 0 0.1"/>
      <body name="thigh" pos="0 0 -0.2" euler="0 0.1 0"><joint name="hip" axis="0 1 0" range="-1 1"/>
        <geom class="leg" fromto="0 0 0 0 0 -0.4"/>
        <body name="shin" pos="0 0 -0.4"><inertial pos="0 0 -0.2" mass="1" diaginertia="0.1 0.1 0.01"/>
          <joint name="knee" type="hinge" axis="0 1 0" range="-2 0" stiffness="1" ref="0.1"/>
          <joint name="slide" type="slide" axis="0 0 1"/></body></body></body></worldbody>
  <equality><joint joint1="knee" joint2="hip" polycoef="0 -2 0 0 0"/></equality>
  <actuator><motor joint="hip" gear="50" ctrlrange="-1 1"/><position joint="slide" kp="10"/></actuator>
  <keyframe><key name="home" qpos="0 0 1 1 0 0 0 0 0 0"/></keyframe>
</mujoco>
""",
    b"""<mujoco><worldbody><body name="a"><joint type="ball"/><geom type="box" size="0.1 0.2 0.3" mass="2"/>
<replicate count="3" offset="0.1 0 0"><body><joint axis="1 0 0"/><geom size="0.1"/></body></replicate>
<frame pos="1 0 0" quat="1 0 0 1"><body name="b" axisangle="0 0 1 0.5"><joint type="hinge"/>
<geom type="ellipsoid" size="0.1 0.2 0.3"/></body></frame></body></worldbody>
<equality><connect body1="a" body2="b" anchor="0 0 0"/></equality></mujoco>
""",
]

SDF_SEEDS = [
    b"""<?xml version="1.0"?>
<sdf version="1.9"><model name="cart"><static>false</static>
<link name="chassis"><pose>0 0 0.5 0 0 0.1</pose><inertial><pose>0 0 0.1 0 0 0</pose><mass>10</mass>
<inertia><ixx>1</ixx><ixy>0.1</ixy><iyy>1</iyy><izz>1</izz></inertia></inertial>
<collision name="c"><geometry><box><size>1 0.5 0.2</size></box></geometry></collision></link>
<link name="wheel"><pose relative_to="chassis">0.3 0 0 1.57 0 0</pose><inertial><mass>1</mass></inertial>
<visual name="v"><geometry><mesh><uri>model://cart/wheel.dae</uri></mesh></geometry></visual></link>
<link name="mast"><inertial><mass>2</mass></inertial></link>
<frame name="camera" attached_to="mast"><pose>0 0 1 0 0 0</pose></frame>
<joint name="axle" type="revolute"><parent>chassis</parent><child>wheel</child>
<axis><xyz expressed_in="__model__">0 1 0</xyz><limit><lower>-1</lower><upper>1</upper><effort>5</effort></limit>
<dynamics><damping>0.1</damping></dynamics></axis></joint>
<joint name="lift" type="prismatic"><parent>chassis</parent><child>mast</child><axis><xyz>0 0 1</xyz></axis></joint>
<joint name="bar" type="ball"><parent>wheel</parent><child>mast</child></joint></model></sdf>
""",
]
SDF_SEEDS.append(
    SDF_SEEDS[0].replace(b'<joint name="bar" type="ball"><parent>wheel</parent><child>mast</child></joint>', b"")
)
SDF_SEEDS.append(
    b"""<sdf version="1.11"><world name="w"><frame name="table"><pose degrees="true">0 0 1 0 0 90</pose></frame>
<model name="robot" placement_frame="grip"><pose relative_to="table">0 0 1 0 0 0</pose>
<link name="a"><inertial auto="true"><density>900</density></inertial>
<collision name="c"><density>1200</density><geometry><capsule><radius>0.1</radius><length>1</length></capsule>
</geometry></collision></link><link name="b"><inertial><mass>1</mass></inertial></link>
<link name="c"><inertial><mass>1</mass></inertial></link>
<frame name="grip" attached_to="k"><pose rotation_format="quat_xyzw">0 0 1 0 0 0 1</pose></frame>
<joint name="j" type="revolute"><parent>a</parent><child>b</child><axis><initial_position>0.5</initial_position></axis>
</joint><joint name="k" type="universal"><parent>c</parent><child>b</child><axis/><axis2><xyz>1 0 0</xyz></axis2>
</joint>
</model><model name="floor"><static>1</static><link name="f"><collision name="c"><geometry><plane/></geometry>
</collision></link></model><model name="ball"><pose>0 0 2 0 0 0</pose><link name="l"/>
<model name="inner"><link name="i"/></model></model>
<joint name="tie" type="fixed"><parent>floor::f</parent><child>ball::inner::i</child></joint></world></sdf>
"""
)

SRDF_SEEDS = [
    b"""<?xml version="1.0"?>
<robot name="arm"><group name="all"><chain base_link="base" tip_link="tool"/><joint name="shoulder"/></group>
<group_state name="home" group="all"><joint name="shoulder" value="0.5"/><joint name="elbow" value="0.1"/></group_state>
<group_state name="up" group="all"><joint name="shoulder" value="-1"/><joint name="root" value="0 0 1 0 0 0 1"/>
</group_state><virtual_joint name="root" type="floating" parent_frame="world" child_link="base"/>
<end_effector name="hand" parent_link="tool" group="all"/><passive_joint name="elbow"/>
<disable_collisions link1="base" link2="upper" reason="Adjacent"/><disable_default_collisions link="tool"/>
<enable_collisions link1="tool" link2="base"/></robot>
""",
]
